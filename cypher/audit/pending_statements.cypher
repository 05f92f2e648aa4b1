// Utterances that gave no fact yet, in full: they wait for extraction or for a person.
//
// title: Pending statements
// mode: read
// returns: space, subject_id, name, status, text, speaker, role, said_at, days_ago, episode_id

MATCH (subject:Entity)-[awaits:AWAITS]->(episode:Episode)
RETURN episode.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       episode.status AS status,
       episode.text AS text,
       episode.speaker AS speaker,
       episode.role AS role,
       episode.said_at_iso AS said_at,
       (timestamp() - episode.said_at) / 86400000 AS days_ago,
       episode.id AS episode_id
ORDER BY space, said_at, episode_id
