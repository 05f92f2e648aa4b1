// The open episodes that a subject awaits: the place of each in its log, and whole those of a later place than one that
// was read before.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// param $since: place of the last episode that was read before; 0 for none
// returns: log, places, found
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[awaits:AWAITS]->(episode:Episode)
WHERE awaits.space = $space
WITH subject, episode,
  CASE WHEN coalesce(episode.settled_entry, 0) > 0 THEN episode.settled_entry ELSE coalesce(episode.entry, 0) END AS place
RETURN coalesce(subject.log_id, '') AS log,
       collect(place) AS places,
       collect(CASE WHEN place > $since THEN properties(episode) ELSE NULL END) AS found
