// Keys and indexes on ArcadeDB, statement by statement; harmless where they exist.
// The statements are those of Neo4j. Types of nodes and relationships are made in `setup/arcadedb_*.cypher`.
//
// mode: write

CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (entity:Entity) REQUIRE entity.uid IS UNIQUE;
CREATE INDEX entity_name IF NOT EXISTS FOR (entity:Entity) ON (entity.space, entity.type, entity.name_key);
CREATE INDEX entity_id IF NOT EXISTS FOR (entity:Entity) ON (entity.space, entity.type, entity.id_key);
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (episode:Episode) REQUIRE (episode.space, episode.id) IS UNIQUE;
CREATE INDEX episode_place IF NOT EXISTS FOR (episode:Episode) ON (episode.subject_uid, episode.conversation, episode.seq);
CREATE INDEX episode_status IF NOT EXISTS FOR (episode:Episode) ON (episode.status);
CREATE CONSTRAINT conversation_uid IF NOT EXISTS FOR (conversation:Conversation) REQUIRE conversation.uid IS UNIQUE;
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (event:FactEvent) REQUIRE event.id IS UNIQUE;
CREATE CONSTRAINT event_chain_key IF NOT EXISTS FOR (event:FactEvent) REQUIRE event.chain_key IS UNIQUE;
CREATE CONSTRAINT log_space IF NOT EXISTS FOR (log:Log) REQUIRE log.space IS UNIQUE;
CREATE CONSTRAINT entry_place IF NOT EXISTS FOR (entry:Entry) REQUIRE (entry.log, entry.seq) IS UNIQUE;
CREATE INDEX event_fact_id IF NOT EXISTS FOR (event:FactEvent) ON (event.fact_id);
CREATE CONSTRAINT recall_id IF NOT EXISTS FOR (receipt:Recall) REQUIRE (receipt.space, receipt.id) IS UNIQUE;
CREATE CONSTRAINT pack_space IF NOT EXISTS FOR (pack:Pack) REQUIRE pack.space IS UNIQUE;
CREATE CONSTRAINT schema_version_id IF NOT EXISTS FOR (schema:SchemaVersion) REQUIRE schema.id IS UNIQUE;
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (memory:Memory) REQUIRE (memory.space, memory.id) IS UNIQUE;
CREATE INDEX memory_change IF NOT EXISTS FOR (memory:Memory) ON (memory.space, memory.change);
CREATE CONSTRAINT stream_space IF NOT EXISTS FOR (stream:Stream) REQUIRE stream.space IS UNIQUE;
CREATE CONSTRAINT summary_version IF NOT EXISTS FOR (summary:Summary) REQUIRE (summary.conversation_uid, summary.version) IS UNIQUE;
CREATE INDEX summary_place IF NOT EXISTS FOR (summary:Summary) ON (summary.conversation_uid, summary.place);
CREATE CONSTRAINT decision_id IF NOT EXISTS FOR (decision:Decision) REQUIRE (decision.space, decision.id) IS UNIQUE;
CREATE INDEX decision_turn IF NOT EXISTS FOR (decision:Decision) ON (decision.conversation_uid, decision.turn);
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (document:Document) REQUIRE (document.space, document.id) IS UNIQUE;
