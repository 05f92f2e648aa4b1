// Entities of every space but the pack's that an earlier version wrote, without the key of their id.
//
// mode: read
// returns: uid, id, name
MATCH (entity:Entity)
WHERE entity.space <> 'knowledge'
  AND entity.name IS NOT NULL
  AND entity.id_key IS NULL
RETURN entity.uid AS uid, entity.id AS id, entity.name AS name
ORDER BY uid
