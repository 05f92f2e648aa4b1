# The server over stdio: docker run --rm -i -e R_MEMORY_STORE_URI=... r-memory
FROM python:3.13-slim

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
ENTRYPOINT ["r-memory"]
CMD ["serve"]
