# The server over stdio: docker run --rm -i -e R_MEMORY_STORE_URI=... r-memory
#
# Over HTTP: docker run --rm -p 8000:8000 -e R_MEMORY_HTTP_TOKEN=... -e R_MEMORY_HTTP_HOSTS=... r-memory serve --http 0.0.0.0:8000
FROM python:3.13-slim

# By it the MCP registry knows whose image this is; server.json has the same name.
LABEL io.modelcontextprotocol.server.name="io.github.r-memory/r-memory" \
    org.opencontainers.image.title="r-memory" \
    org.opencontainers.image.licenses="Apache-2.0"

# Without a Neo4j URI the embedded store lies in /data, as do changed configuration files.
ENV PYTHONUNBUFFERED=1 R_MEMORY_HOME=/data XDG_DATA_HOME=/data
WORKDIR /app
COPY pyproject.toml README.md LICENSE gates.yaml intents.yaml ./
COPY intents intents
COPY schema schema
COPY cypher cypher
COPY server server
RUN pip install --no-cache-dir ".[documents,model]" \
    && useradd --create-home --uid 10001 r-memory \
    && install --directory --owner=r-memory --mode=0700 /data
USER r-memory
VOLUME /data
EXPOSE 8000
# Over HTTP it asks the server; a server on standard input and output has nobody to ask and is well while it runs.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import http.client as h, sys; c = h.HTTPConnection('127.0.0.1', 8000, timeout=4)\ntry: c.request('GET', '/healthz')\nexcept ConnectionRefusedError: sys.exit(0)\nsys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["r-memory"]
CMD ["serve"]
