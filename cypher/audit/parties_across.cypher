// Parties that stand in the files of several clients, or are clients themselves: each file with the party's role in it.
// A conflict check over the whole firm; what a party is a kind of counts as it.
//
// schema: law
// title: Parties across clients
// mode: read
// returns: space, party, files, is_client, subject_id, name, role, status, fact_id

MATCH (subject:Entity)-[fact:HAS_CONFLICT_WITH|FIRM_ACTS_FOR|BOUND_BY|HAS_INTEREST_IN]->(thing:Entity)
MATCH (thing)-[:IS_A*0..]->(party:Entity)
WHERE fact.status IN ['active', 'unconfirmed', 'resolved']
  AND NOT party:Scope
OPTIONAL MATCH (known:Client)
WHERE known.space = subject.space
  AND toLower(known.name) = toLower(party.name)
WITH subject.space AS space,
     party,
     count(DISTINCT subject.uid) AS files,
     count(DISTINCT known.uid) > 0 AS is_client,
     collect(DISTINCT [subject.id, subject.name, type(fact), fact.status, fact.fact_id]) AS roles
WHERE files > 1
   OR is_client
UNWIND roles AS held
RETURN space,
       party.name AS party,
       files,
       is_client,
       held[0] AS subject_id,
       held[1] AS name,
       held[2] AS role,
       held[3] AS status,
       held[4] AS fact_id
ORDER BY space, party, subject_id, role, fact_id
