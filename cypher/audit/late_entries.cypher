// Statements recorded more than a day after they were made: what was known when is often the question in court.
// Another delay: change the number of hours in the first clause. What nobody knows the day of (it counts as said in the
// year 1) is not late.
//
// title: Late entries
// mode: read
// returns: space, subject_id, name, speaker, role, said_at, recorded_at, hours_late, text, episode_id

WITH 24 AS hours, -62135596800000 AS undated
MATCH (episode:Episode)-[concerns:CONCERNS]->(subject:Entity)
WHERE episode.recorded_at - episode.said_at > hours * 3600000
  AND episode.said_at > undated
RETURN episode.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       episode.speaker AS speaker,
       episode.role AS role,
       episode.said_at_iso AS said_at,
       episode.recorded_at_iso AS recorded_at,
       (episode.recorded_at - episode.said_at) / 3600000 AS hours_late,
       episode.text AS text,
       episode.id AS episode_id
ORDER BY space, recorded_at, episode_id
