-- What keeps a reader of one organization from the rows of all others: a role of its own, and for each table a policy for that role.
-- `tenants.py` says it whenever a store is opened for writing and what there is is not what stands here.

-- name: tables
-- Which rows of a table are an organization's. A table that is not among them cannot be read by that role.
VALUES
  ('executions', $c${own}$c$), ('workflows', $c${own}$c$), ('workflow_versions', $c${own}$c$), ('subscriptions', $c${own}$c$), ('schedules', $c${own}$c$),
  ('events', $c${own}$c$), ('answers', $c${own}$c$), ('trigger_log', $c${own}$c$), ('key_uses', $c${own}$c$), ('forgotten', $c${own}$c$), ('waits', $c${own}$c$), ('approval_items', $c${own}$c$), ('idempotency', $c${own}$c$), ('cards', $c${own}$c$), ('audit', $c${own}$c$), ('audit_chains', $c${own}$c$),
  ('history', $c${of_its_execution}$c$), ('payloads', $c${of_its_execution}$c$), ('snapshots', $c${of_its_execution}$c$), ('inbox', $c${of_its_execution}$c$),
  ('consumed', $c${of_its_execution}$c$), ('deliveries', $c${of_its_execution}$c$), ('dedups', $c${of_its_execution}$c$), ('uncalled', $c${of_its_execution}$c$),
  ('workers', 'true') -- the operator's: who lives, and with which tasks

-- name: own
-- A row that says whose it is. Once it was set in a session, what is not set any more is empty: nobody's. It is said so that no index serves it, and
-- that the server takes it for nothing rare: which index a question goes by is for the question to say, and never all that an organization has.
CASE WHEN organization = (SELECT nullif(current_setting('perdure.organization', true), '')) THEN true ELSE false END

-- name: of_its_execution
-- A row of an execution, which says whose it is. (Of `EXISTS`, the server would make a table of all executions of the organization first.)
CASE WHEN (SELECT executions.organization FROM executions WHERE executions.eid = %1$I.eid)
  = (SELECT nullif(current_setting('perdure.organization', true), '')) THEN true ELSE false END

-- name: role
-- The role of those readers, who owns the tables, whether it is there, and whether this user and that owner may take it on. It is called after the
-- owner: who may take it on can read by it what is that owner's, and roles are the same in all databases of a server.
SELECT role, owner, is_there, CASE WHEN is_there THEN pg_has_role(current_user, role, 'SET') ELSE false END,
  CASE WHEN is_there THEN pg_has_role(owner, role, 'SET') ELSE false END
FROM (
  SELECT role, owner, EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) AS is_there FROM (
    SELECT owner, 'perdure_tenant_' || CASE WHEN octet_length(owner) <= 48 THEN owner ELSE md5(owner) END AS role FROM (
      SELECT pg_get_userbyid(relowner)::text AS owner FROM pg_class WHERE oid = to_regclass(quote_ident(current_schema()) || '.executions')
    ) AS whose
  ) AS named
) AS known

-- name: make_role
-- Whoever comes second finds it made, also by somebody in another database.
DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$

-- name: may_take_it_on
-- Not as its heir: what is forbidden to the role is forbidden to its heirs.
GRANT {role} TO CURRENT_USER WITH INHERIT FALSE, SET TRUE

-- name: separate
-- Everybody else reads and writes as before, if they have the right: `perdure_all` lets them. `perdure_tenant` is on top of that, for this role alone.
DO $separate$
DECLARE
  named text;
  condition text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO {role}', current_schema());
  FOR named, condition IN {tables} LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', named);
    EXECUTE format('DROP POLICY IF EXISTS perdure_all ON %I', named);
    EXECUTE format('CREATE POLICY perdure_all ON %I USING (true)', named);
    EXECUTE format('DROP POLICY IF EXISTS perdure_tenant ON %I', named);
    EXECUTE format('CREATE POLICY perdure_tenant ON %1$I AS RESTRICTIVE TO {role} USING (' || condition || ')', named);
    EXECUTE format('GRANT SELECT ON %I TO {role}', named);
  END LOOP;
END $separate$

-- name: model_with
-- A model is content that is kept once, whoever has it, and called by the digest of what is in it: who knows that has found it in a row of its own.
-- Nobody can ask for all of them.
CREATE OR REPLACE FUNCTION model_with(digest text) RETURNS TABLE (data bytea, dialect text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT kept.data, kept.dialect FROM {schema}.models AS kept WHERE kept.digest = $1
$$

-- name: lend_models
REVOKE ALL ON FUNCTION model_with(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION model_with(text) TO {role}

-- name: made
-- Of which text it was made.
SELECT obj_description(policy.oid, 'pg_policy') FROM pg_policy AS policy
WHERE polname = 'perdure_tenant' AND polrelid = to_regclass(quote_ident(current_schema()) || '.executions')

-- name: apart
-- Tables of these that the role can read without a policy for it, or not at all.
SELECT named FROM (SELECT column1 AS named, to_regclass(quote_ident(current_schema()) || '.' || quote_ident(column1)) AS found FROM ({tables}) AS listed) AS tables
LEFT JOIN pg_class ON pg_class.oid = found
WHERE NOT coalesce(relrowsecurity, false) OR NOT has_table_privilege($1, found, 'SELECT') OR NOT EXISTS (
  SELECT 1 FROM pg_policy WHERE polrelid = found AND polname = 'perdure_tenant' AND NOT polpermissive
    AND (SELECT oid FROM pg_roles WHERE rolname = $1) = ANY (polroles))
ORDER BY named
