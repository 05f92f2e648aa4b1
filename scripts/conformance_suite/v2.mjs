// TypeScript SDK, second generation, which negotiates the era: connects over HTTP, lists, calls. Prints one line of JSON.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "conformance-v2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const { tools } = await client.listTools();
const result = await client.callTool({ name: "memory_describe", arguments: { part: "limits" } });
console.log(JSON.stringify({ tools: tools.length, error: Boolean(result.isError), limits: result.structuredContent?.limits }));
await client.close();
