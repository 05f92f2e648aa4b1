// TypeScript SDK, first generation: connects over stdio, lists, calls. Prints one line of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "conformance-v1", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
const { tools } = await client.listTools();
const result = await client.callTool({ name: "memory_describe", arguments: { part: "limits" } });
console.log(JSON.stringify({ tools: tools.length, error: Boolean(result.isError), limits: result.structuredContent?.limits }));
await client.close();
