--
-- PostgreSQL database dump
--


-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: base_place(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.base_place() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT pg_current_xact_id()::text::bigint << 24 $$;


ALTER FUNCTION public.base_place() OWNER TO postgres;

--
-- Name: error_info(json, bigint); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.error_info(failure json, at bigint) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  SELECT json_object_agg(key, value) FROM (VALUES
    ('message', failure -> 'message'), ('category', coalesce(failure -> 'category', '"UNKNOWN"')), ('retriable', coalesce(failure -> 'retriable', 'true')),
    ('code', failure -> 'code'), ('details', failure -> 'details'), ('stackTrace', failure -> 'stack'), ('timestamp', to_json(iso(at)))
  ) AS each (key, value) WHERE value IS NOT NULL
$$;


ALTER FUNCTION public.error_info(failure json, at bigint) OWNER TO postgres;

--
-- Name: horizon(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.horizon() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 24 $$;


ALTER FUNCTION public.horizon() OWNER TO postgres;

--
-- Name: iso(bigint); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.iso(bigint) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  SELECT CASE WHEN $1 BETWEEN -62135596800000 AND 253402300799999 THEN
    to_char(to_timestamp(floor($1 / 1000.0)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.') || lpad(($1 - floor($1 / 1000.0) * 1000)::text, 3, '0') || 'Z'
  END
$_$;


ALTER FUNCTION public.iso(bigint) OWNER TO postgres;

--
-- Name: model_with(text); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.model_with(digest text) RETURNS TABLE(data bytea, dialect text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT kept.data, kept.dialect FROM public.models AS kept WHERE kept.digest = $1
$_$;


ALTER FUNCTION public.model_with(digest text) OWNER TO postgres;

--
-- Name: number_in(json, text); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.number_in(given json, name text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  IF pg_input_is_valid(given ->> name, 'bigint') THEN RETURN (given ->> name)::bigint; END IF;
  RETURN NULL;
END $$;


ALTER FUNCTION public.number_in(given json, name text) OWNER TO postgres;

--
-- Name: place_of(xid8); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.place_of(xid8) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT $1::text::bigint << 24 $_$;


ALTER FUNCTION public.place_of(xid8) OWNER TO postgres;

--
-- Name: readable(text); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.readable(given text) RETURNS json
    LANGUAGE plpgsql STABLE
    AS $$
DECLARE
  sayable text := replace(given, '\u0000', '\ufffd');
BEGIN
  IF pg_input_is_valid(sayable, 'jsonb') THEN RETURN sayable::json; END IF;
  RETURN NULL;
END $$;


ALTER FUNCTION public.readable(given text) OWNER TO postgres;

--
-- Name: transaction_of(bigint); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.transaction_of(bigint) RETURNS xid8
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT ($1 >> 24)::text::xid8 $_$;


ALTER FUNCTION public.transaction_of(bigint) OWNER TO postgres;

--
-- Name: waited(text, text, text, boolean); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.waited(status text, waiting text, part text, of_people boolean) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  IF status = 'waiting' AND (substr(waiting, 1, 14) = '{"kind":"event' OR of_people AND substr(waiting, 1, 14) = '{"kind":"appro') THEN
    waiting := replace(waiting, '\u0000', '\ufffd');
    IF pg_input_is_valid(waiting, 'jsonb') THEN RETURN waiting::json ->> part; END IF;
  END IF;
  RETURN NULL;
END $$;


ALTER FUNCTION public.waited(status text, waiting text, part text, of_people boolean) OWNER TO postgres;

--
-- Name: worker_lock(text); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.worker_lock(text) RETURNS bigint
    LANGUAGE sql STABLE
    AS $_$ SELECT hashtextextended(current_schema() || ':' || $1, 1885696356) $_$;


ALTER FUNCTION public.worker_lock(text) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: executions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.executions (
    eid bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    organization text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    ready boolean NOT NULL,
    mail bigint DEFAULT 0 NOT NULL,
    wake_at bigint,
    owner text COLLATE pg_catalog."C",
    epoch bigint DEFAULT 0 NOT NULL,
    crashes bigint DEFAULT 0 NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    waiting text,
    output text,
    error text,
    trigger text NOT NULL,
    correlation_id text COLLATE pg_catalog."C",
    parent text COLLATE pg_catalog."C",
    parent_op bigint NOT NULL,
    depth bigint NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint,
    start text,
    born pg_snapshot DEFAULT pg_current_snapshot() NOT NULL,
    status_at bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='80');


ALTER TABLE public.executions OWNER TO postgres;

--
-- Name: history; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.history (
    pos bigint NOT NULL,
    eid bigint NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    scope bigint,
    parts bigint DEFAULT 0 NOT NULL,
    data text NOT NULL
);


ALTER TABLE public.history OWNER TO postgres;

--
-- Name: payloads; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.payloads (
    eid bigint NOT NULL,
    seq bigint NOT NULL,
    number bigint NOT NULL,
    data text NOT NULL
);


ALTER TABLE public.payloads OWNER TO postgres;

--
-- Name: facts; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.facts AS
 SELECT h.eid,
    h.seq,
    h.kind,
    read.body
   FROM (public.history h
     CROSS JOIN LATERAL ( SELECT public.readable(
                CASE
                    WHEN (h.parts = 0) THEN h.data
                    WHEN (h.data = ''::text) THEN ( SELECT string_agg(piece.data, ''::text ORDER BY piece.number) AS string_agg
                       FROM public.payloads piece
                      WHERE ((piece.eid = h.eid) AND (piece.seq = h.seq)))
                    ELSE replace(h.data, '"items":[]'::text, (('"items":['::text || ( SELECT string_agg(substr(piece.data, 2, (length(piece.data) - 2)), ','::text ORDER BY piece.number) AS string_agg
                       FROM public.payloads piece
                      WHERE ((piece.eid = h.eid) AND (piece.seq = h.seq)))) || ']'::text))
                END) AS body
         OFFSET 0) read);


ALTER VIEW public.facts OWNER TO postgres;

--
-- Name: VIEW facts; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.facts IS 'made by Perdure: 4abf5ca79ee6d857676ffa27038c2fee05326b673ec184bf6df63105ce2567af';


--
-- Name: models; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.models (
    digest text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL,
    dialect text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.models OWNER TO postgres;

--
-- Name: Execution; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public."Execution" AS
 SELECT e.id,
    e.workflow AS "workflowId",
        CASE e.status
            WHEN 'waiting'::text THEN 'WAITING'::text
            WHEN 'completed'::text THEN 'SUCCESS'::text
            WHEN 'failed'::text THEN 'FAILED'::text
            WHEN 'cancelled'::text THEN 'FAILED'::text
            ELSE 'RUNNING'::text
        END AS status,
    (begun.body ->> 'event_id'::text) AS "inngestEventId",
    COALESCE(begun.fired, NULLIF(
        CASE json_typeof((begun.body #> '{input,_trigger,type}'::text[]))
            WHEN 'string'::text THEN (begun.body #>> '{input,_trigger,type}'::text[])
            ELSE NULL::text
        END, ''::text), 'MANUAL_TRIGGER'::text) AS "triggerType",
        CASE
            WHEN ((begun.fired IS NULL) AND (json_typeof((begun.body #> '{input,_trigger,depth}'::text[])) = 'number'::text)) THEN (GREATEST((e.depth)::numeric, LEAST(trunc(((begun.body #>> '{input,_trigger,depth}'::text[]))::numeric), (1000000)::numeric)))::bigint
            ELSE e.depth
        END AS "triggerDepth",
        CASE
            WHEN (e.ended_at IS NULL) THEN COALESCE((begun.waits ->> 'step'::text), ( SELECT COALESCE((((public.readable(convert_from(models.data, 'UTF8'::name)) -> 'steps'::text) -> (public.number_in(entered.body, 'step'::text))::integer) ->> 'part_of'::text), (((public.readable(convert_from(models.data, 'UTF8'::name)) -> 'steps'::text) -> (public.number_in(entered.body, 'step'::text))::integer) ->> 'id'::text)) AS "coalesce"
               FROM public.facts entered
              WHERE ((entered.eid = e.eid) AND (entered.kind = ANY (ARRAY['step.scheduled'::text, 'timer.opened'::text, 'wait.opened'::text, 'approval.opened'::text, 'child.started'::text, 'step.completed'::text, 'step.failed'::text])) AND ((entered.kind <> ALL (ARRAY['step.completed'::text, 'step.failed'::text])) OR ((entered.body ->> 'op'::text) IS NULL)))
              ORDER BY entered.seq DESC
             LIMIT 1))
            ELSE NULL::text
        END AS "currentNodeId",
    (begun.waits ->> 'step'::text) AS "waitingAtNodeId",
    public.iso(public.number_in(begun.waits, 'until'::text)) AS "nextStepAt",
    public.iso(e.started_at) AS "startedAt",
    public.iso(e.ended_at) AS "completeAt",
        CASE e.status
            WHEN 'completed'::text THEN e.output
            ELSE NULL::text
        END AS output,
        CASE e.status
            WHEN 'cancelled'::text THEN 'canceled'::text
            WHEN 'failed'::text THEN (public.readable(e.error) ->> 'message'::text)
            ELSE NULL::text
        END AS error,
        CASE e.status
            WHEN 'failed'::text THEN (public.readable(e.error) ->> 'stack'::text)
            ELSE NULL::text
        END AS "errorStack",
    e.organization
   FROM ((public.executions e
     JOIN public.models ON (((models.digest = e.digest) AND (models.dialect = 'graph'::text))))
     CROSS JOIN LATERAL ( SELECT read.body,
                CASE e.trigger
                    WHEN 'schedule'::text THEN 'SCHEDULE_TRIGGER'::text
                    WHEN 'webhook'::text THEN 'WEBHOOK_TRIGGER'::text
                    WHEN 'chain'::text THEN 'WORKFLOW_TRIGGER'::text
                    WHEN 'event'::text THEN
                    CASE (read.body #>> '{trigger_data,type}'::text[])
                        WHEN 'workflows/execute.workflow'::text THEN NULL::text
                        WHEN 'workflow.completed'::text THEN 'WORKFLOW_TRIGGER'::text
                        ELSE 'EVENT_TRIGGER'::text
                    END
                    ELSE NULL::text
                END AS fired,
                CASE
                    WHEN ((e.status = 'waiting'::text) AND ((public.readable(e.waiting) ->> 'step'::text) <> ''::text)) THEN public.readable(e.waiting)
                    ELSE NULL::json
                END AS waits
           FROM ( SELECT COALESCE(public.readable(e.start), ( SELECT first.body
                           FROM public.facts first
                          WHERE ((first.eid = e.eid) AND (first.seq = 1)))) AS body
                 OFFSET 0) read
         OFFSET 0) begun);


ALTER VIEW public."Execution" OWNER TO postgres;

--
-- Name: VIEW "Execution"; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public."Execution" IS 'made by Perdure: e57a813f37789c0d856c3a57aadb386356a9fc90f3c3552db777eaee6f7bc6bb';


--
-- Name: answers; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.answers (
    organization text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL,
    promised_by text NOT NULL,
    promised_at bigint NOT NULL,
    until bigint NOT NULL,
    answered_at bigint,
    status bigint,
    content_type text,
    headers text,
    body bytea,
    CONSTRAINT answers_check CHECK ((((status IS NULL) = (answered_at IS NULL)) AND ((status IS NULL) = (body IS NULL))))
);


ALTER TABLE public.answers OWNER TO postgres;

--
-- Name: approval_items; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.approval_items (
    id text CONSTRAINT approvals_id_not_null NOT NULL COLLATE pg_catalog."C",
    eid bigint CONSTRAINT approvals_eid_not_null NOT NULL,
    op bigint CONSTRAINT approvals_op_not_null NOT NULL,
    organization text CONSTRAINT approvals_organization_not_null NOT NULL COLLATE pg_catalog."C",
    status text CONSTRAINT approvals_status_not_null NOT NULL COLLATE pg_catalog."C",
    data text CONSTRAINT approvals_data_not_null NOT NULL,
    pos bigint NOT NULL,
    workflow text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    member text COLLATE pg_catalog."C",
    role text COLLATE pg_catalog."C",
    handed text COLLATE pg_catalog."C",
    late bigint DEFAULT 0 NOT NULL,
    claimed text COLLATE pg_catalog."C",
    resource_type text COLLATE pg_catalog."C",
    resource_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.approval_items OWNER TO postgres;

--
-- Name: approval_items_pos_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.approval_items ALTER COLUMN pos ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.approval_items_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: approvals; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.approvals AS
 SELECT a.id,
    a.organization AS "organizationId",
    (read.body ->> 'execution'::text) AS "workflowExecutionId",
    (read.body ->> 'step'::text) AS "stepSlug",
    (read.body #>> '{asked,member}'::text[]) AS "approverMemberId",
    (read.body #>> '{asked,role}'::text[]) AS "approverRole",
    a.status,
    (read.body -> 'request'::text) AS "submittedData",
    (read.body ->> 'decision'::text) AS decision,
    (read.body ->> 'comments'::text) AS comments,
        CASE
            WHEN ((read.body ->> 'decided_by'::text) <> 'system'::text) THEN public.number_in(read.body, 'decided_at'::text)
            ELSE NULL::bigint
        END AS "reviewedAt",
    public.number_in(read.body, 'decided_at'::text) AS "decidedAt",
    COALESCE(public.number_in(read.body, 'claimed_at'::text),
        CASE
            WHEN (COALESCE((read.body #>> '{asked,member}'::text[]), (read.body #>> '{asked,role}'::text[])) IS NOT NULL) THEN public.number_in(read.body, 'opened_at'::text)
            ELSE NULL::bigint
        END) AS "assignedAt",
    (read.body #>> '{asked,resource_type}'::text[]) AS "resourceType",
    COALESCE((read.body #>> '{asked,resource_id}'::text[]), (read.body ->> 'execution'::text)) AS "resourceId",
    (read.body #>> '{asked,route_hint}'::text[]) AS "routeHint",
    ('/approvals/'::text || a.id) AS deeplink,
    COALESCE((read.body #>> '{asked,priority}'::text[]), 'medium'::text) AS priority,
    public.number_in(read.body, 'due_at'::text) AS "dueDate",
    (read.body #> '{asked,metadata}'::text[]) AS metadata,
    COALESCE(((read.body ->> 'overdue'::text))::boolean, false) AS overdue,
    (read.body -> 'escalated_to'::text) AS "escalatedTo",
    COALESCE(public.number_in(read.body, 'votes_required'::text), (1)::bigint) AS "votesRequired",
    COALESCE((read.body -> 'votes'::text), '[]'::json) AS votes,
    (read.body ->> 'claimed_by'::text) AS "claimedBy",
    (read.body ->> 'decided_by'::text) AS "decidedBy",
    (read.body -> 'data'::text) AS "modifiedData",
    public.number_in(read.body, 'opened_at'::text) AS "createdAt"
   FROM (public.approval_items a
     CROSS JOIN LATERAL ( SELECT public.readable(a.data) AS body
         OFFSET 0) read);


ALTER VIEW public.approvals OWNER TO postgres;

--
-- Name: VIEW approvals; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.approvals IS 'made by Perdure: 3d77d420971baf838baebfd9f1f119ba1e651cace5b5ef1c785847966e55c01b';


--
-- Name: audit; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.audit (
    pos bigint NOT NULL,
    organization text NOT NULL COLLATE pg_catalog."C",
    writer text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    data text NOT NULL,
    approval text COLLATE pg_catalog."C"
);


ALTER TABLE public.audit OWNER TO postgres;

--
-- Name: audit_chains; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.audit_chains (
    organization text NOT NULL COLLATE pg_catalog."C",
    writer text NOT NULL COLLATE pg_catalog."C",
    entries bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.audit_chains OWNER TO postgres;

--
-- Name: audit_pos_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.audit ALTER COLUMN pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: cards; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.cards (
    organization text NOT NULL COLLATE pg_catalog."C",
    register text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL,
    changed_at bigint NOT NULL,
    data text NOT NULL
);


ALTER TABLE public.cards OWNER TO postgres;

--
-- Name: consumed; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.consumed (
    eid bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.consumed OWNER TO postgres;

--
-- Name: dedups; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.dedups (
    eid bigint NOT NULL,
    dedup text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.dedups OWNER TO postgres;

--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.deliveries (
    eid bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.deliveries OWNER TO postgres;

--
-- Name: events; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events (
    pos bigint NOT NULL,
    organization text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    routed boolean NOT NULL,
    data text NOT NULL,
    declined text,
    reached bigint DEFAULT 0 NOT NULL
);


ALTER TABLE public.events OWNER TO postgres;

--
-- Name: executions_eid_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.executions ALTER COLUMN eid ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.executions_eid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: forgotten; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.forgotten (
    organization text NOT NULL COLLATE pg_catalog."C",
    pos bigint NOT NULL
);


ALTER TABLE public.forgotten OWNER TO postgres;

--
-- Name: idempotency; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.idempotency (
    organization text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    execution text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.idempotency OWNER TO postgres;

--
-- Name: inbox; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.inbox (
    pos bigint NOT NULL,
    eid bigint NOT NULL,
    data text NOT NULL
);


ALTER TABLE public.inbox OWNER TO postgres;

--
-- Name: key_uses; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.key_uses (
    organization text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);


ALTER TABLE public.key_uses OWNER TO postgres;

--
-- Name: leavings; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.leavings (
    eid bigint NOT NULL
);


ALTER TABLE public.leavings OWNER TO postgres;

--
-- Name: orchestration_executions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.orchestration_executions AS
 SELECT e.eid,
    e.id,
    e.organization,
    e.workflow,
    e.digest,
    e.status,
    e.status_at,
    e.waiting,
    e.output,
    e.error,
    e.correlation_id,
    e.started_at,
    e.ended_at,
    models.data AS model
   FROM (public.executions e
     JOIN public.models ON (((models.digest = e.digest) AND (models.dialect = 'orchestration'::text))))
  WHERE ((e.owner IS NULL) OR (e.owner IS NOT NULL));


ALTER VIEW public.orchestration_executions OWNER TO postgres;

--
-- Name: VIEW orchestration_executions; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.orchestration_executions IS 'made by Perdure: 47f194130b7618978c0bc4b0bdde98e8d3aea7d368d6ec6d483a4d2808bcab38';


--
-- Name: orchestration_steps; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.orchestration_steps AS
 SELECT e.eid,
    ( WITH workflow AS MATERIALIZED (
                 SELECT public.readable(convert_from(models.data, 'UTF8'::name)) AS model
                ), touched AS MATERIALIZED (
                 SELECT f.seq,
                    public.number_in(f.body, 'step'::text) AS step,
                    false AS edits,
                    ((f.kind <> ALL (ARRAY['step.completed'::text, 'step.failed'::text])) OR ((f.body ->> 'op'::text) IS NULL)) AS opens
                   FROM public.facts f
                  WHERE ((f.eid = e.eid) AND (f.kind = ANY (ARRAY['step.scheduled'::text, 'wait.opened'::text, 'approval.opened'::text, 'step.completed'::text, 'step.failed'::text])))
                UNION ALL
                 SELECT f.seq,
                    (changed.key)::bigint AS key,
                    true,
                    false
                   FROM (public.facts f
                     CROSS JOIN LATERAL json_each(COALESCE((f.body -> 'outputs'::text), '{}'::json)) changed(key, value))
                  WHERE ((f.eid = e.eid) AND (f.kind = 'execution.forked'::text))
                ), been AS MATERIALIZED (
                 SELECT every.step,
                    COALESCE(max(every.seq) FILTER (WHERE every.opens), min(every.seq)) AS entered,
                    COALESCE(every.told, min(every.seq)) AS came,
                    min(every.seq) FILTER (WHERE (every.edits AND (every.seq > COALESCE(every.told, (0)::bigint)))) AS edited_at,
                    max(every.seq) FILTER (WHERE (every.edits AND (every.seq > COALESCE(every.told, (0)::bigint)))) AS edited_last
                   FROM ( SELECT touched.seq,
                            touched.step,
                            touched.edits,
                            touched.opens,
                            max(touched.seq) FILTER (WHERE (NOT touched.edits)) OVER (PARTITION BY touched.step) AS told
                           FROM touched) every
                  GROUP BY every.step, every.told
                ), known AS MATERIALIZED (
                 SELECT been.step,
                    been.entered,
                    been.came,
                    been.edited_at,
                    been.edited_last,
                    (step.value ->> 'id'::text) AS id,
                    opened.kind AS opened_kind,
                    opened.body AS opened,
                    said.kind AS said_kind,
                    said.body AS said,
                    ( SELECT ((forked.body -> 'outputs'::text) -> (been.step)::text)
                           FROM public.facts forked
                          WHERE ((forked.eid = e.eid) AND (forked.seq = been.edited_last))) AS edited,
                    ( SELECT max(again.seq) AS max
                           FROM public.history again
                          WHERE ((again.eid = e.eid) AND (again.kind = 'execution.retried'::text) AND (again.seq > been.came) AND (again.seq < COALESCE(been.edited_at, (again.seq + 1))))) AS taken_up
                   FROM ((((workflow
                     CROSS JOIN LATERAL json_array_elements((workflow.model -> 'steps'::text)) WITH ORDINALITY step(value, place))
                     JOIN been ON ((been.step = (step.place - 1))))
                     JOIN public.facts opened ON (((opened.eid = e.eid) AND (opened.seq = been.entered))))
                     JOIN public.facts said ON (((said.eid = e.eid) AND (said.seq = been.came))))
                  WHERE (((step.value ->> 'part_of'::text) IS NULL) AND (NOT ((step.value ->> 'id'::text) IN ( SELECT (undoing.value ->> 'by'::text)
                           FROM json_array_elements(COALESCE((workflow.model -> 'compensations'::text), '[]'::json)) undoing(value)))))
                ), running AS MATERIALIZED (
                 SELECT known.step,
                    known.entered,
                    known.came,
                    known.edited_at,
                    known.edited_last,
                    known.id,
                    known.opened_kind,
                    known.opened,
                    known.said_kind,
                    known.said,
                    known.edited,
                    known.taken_up,
                        CASE
                            WHEN (known.said_kind = ANY (ARRAY['step.completed'::text, 'execution.forked'::text])) THEN NULL::bigint
                            WHEN (known.said_kind = 'step.failed'::text) THEN
                            CASE
                                WHEN ((known.entered < known.came) AND (known.taken_up > ( SELECT min(gone.seq) AS min
                                   FROM (public.facts gone
                                     CROSS JOIN LATERAL json_array_elements_text(COALESCE((gone.body -> 'steps'::text), '[]'::json)) each(value))
                                  WHERE ((gone.eid = e.eid) AND (gone.seq > known.came) AND (gone.kind = ANY (ARRAY['execution.failed'::text, 'execution.retrying'::text])) AND (each.value = (known.step)::text))))) THEN known.taken_up
                                ELSE NULL::bigint
                            END
                            ELSE COALESCE(known.taken_up, known.came)
                        END AS runs_since
                   FROM known
                ), leaving AS MATERIALIZED (
                 SELECT running.step,
                    running.entered,
                    running.came,
                    running.edited_at,
                    running.edited_last,
                    running.id,
                    running.opened_kind,
                    running.opened,
                    running.said_kind,
                    running.said,
                    running.edited,
                    running.taken_up,
                    running.runs_since,
                        CASE
                            WHEN (running.runs_since IS NOT NULL) THEN ( SELECT gone.body
                               FROM public.facts gone
                              WHERE ((gone.eid = e.eid) AND (gone.seq > running.runs_since) AND (gone.seq < COALESCE(running.edited_at, (gone.seq + 1))) AND (gone.kind = ANY (ARRAY['execution.failed'::text, 'execution.retrying'::text, 'execution.cancelled'::text, 'compensation.planned'::text])) AND (NOT (EXISTS ( SELECT 1
                                       FROM json_array_elements(COALESCE((gone.body -> 'settling'::text), '[]'::json)) each(value)
                                      WHERE ((each.value ->> 0) = (running.entered)::text)))))
                              ORDER BY gone.seq
                             LIMIT 1)
                            ELSE NULL::json
                        END AS given_up
                   FROM running
                ), told AS MATERIALIZED (
                 SELECT leaving.step,
                    leaving.entered,
                    leaving.came,
                    leaving.edited_at,
                    leaving.edited_last,
                    leaving.id,
                    leaving.opened_kind,
                    leaving.opened,
                    leaving.said_kind,
                    leaving.said,
                    leaving.edited,
                    leaving.taken_up,
                    leaving.runs_since,
                    leaving.given_up,
                        CASE
                            WHEN ((leaving.edited IS NOT NULL) OR (leaving.said_kind = 'step.completed'::text)) THEN 'COMPLETED'::text
                            WHEN ((leaving.runs_since IS NULL) OR (leaving.given_up IS NOT NULL)) THEN 'FAILED'::text
                            ELSE 'RUNNING'::text
                        END AS status,
                    public.number_in(
                        CASE
                            WHEN (leaving.runs_since IS NULL) THEN leaving.said
                            ELSE leaving.given_up
                        END, 'at'::text) AS ended,
                        CASE
                            WHEN (leaving.runs_since IS NULL) THEN (leaving.said -> 'error'::text)
                            WHEN ((leaving.given_up ->> 'kind'::text) = 'compensation.planned'::text) THEN '{"message":"nobody knows whether it was done","category":"SYSTEM","code":"UNKNOWN_OUTCOME","retriable":false}'::json
                            ELSE '{"message":"the execution ended before it was done","category":"SYSTEM","code":"GIVEN_UP","retriable":false}'::json
                        END AS failure
                   FROM leaving
                )
         SELECT COALESCE(json_object_agg(told.id, ( SELECT json_object_agg(each.key, each.value) AS json_object_agg
                   FROM ( VALUES ('status'::text,to_json(told.status)), ('startedAt'::text,to_json(public.iso(public.number_in(told.opened, 'at'::text)))), ('input'::text,
                                CASE told.opened_kind
                                    WHEN 'step.scheduled'::text THEN COALESCE((told.opened -> 'input'::text), 'null'::json)
                                    WHEN 'approval.opened'::text THEN COALESCE((told.opened -> 'request'::text), 'null'::json)
                                    ELSE NULL::json
                                END), ('output'::text,
                                CASE told.status
                                    WHEN 'COMPLETED'::text THEN COALESCE(told.edited, (told.said -> 'output'::text), 'null'::json)
                                    ELSE NULL::json
                                END), ('error'::text,
                                CASE told.status
                                    WHEN 'FAILED'::text THEN public.error_info(told.failure, told.ended)
                                    ELSE NULL::json
                                END), ('completedAt'::text,to_json(public.iso(told.ended)))) each(key, value)
                  WHERE (each.value IS NOT NULL))), '{}'::json) AS "coalesce"
           FROM told) AS steps
   FROM (public.executions e
     JOIN public.models ON (((models.digest = e.digest) AND (models.dialect = 'orchestration'::text))));


ALTER VIEW public.orchestration_steps OWNER TO postgres;

--
-- Name: VIEW orchestration_steps; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.orchestration_steps IS 'made by Perdure: c9b1162a99f51231348179bb29a7a508de14079cdfd57c4f3efd0def84e34683';


--
-- Name: orchestration_undone; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.orchestration_undone AS
 SELECT e.eid,
    ( WITH began AS MATERIALIZED (
                 SELECT ended.seq,
                    ended.body
                   FROM public.facts ended
                  WHERE ((ended.eid = e.eid) AND (ended.kind = ANY (ARRAY['execution.failed'::text, 'execution.cancelled'::text])) AND ((ended.body ->> 'compensate'::text) = 'true'::text))
                  ORDER BY ended.seq
                 LIMIT 1
                ), planned AS MATERIALIZED (
                 SELECT began.body AS began,
                    planned_1.seq AS at,
                    planned_1.body AS plan,
                    public.readable(convert_from(models.data, 'UTF8'::name)) AS model,
                    ( SELECT finished.body
                           FROM public.facts finished
                          WHERE ((finished.eid = e.eid) AND (finished.seq > began.seq) AND (finished.kind = 'compensation.finished'::text))
                          ORDER BY finished.seq DESC
                         LIMIT 1) AS finished
                   FROM (began
                     LEFT JOIN public.facts planned_1 ON (((planned_1.eid = e.eid) AND (planned_1.kind = 'compensation.planned'::text) AND (planned_1.seq > began.seq))))
                  ORDER BY planned_1.seq DESC
                 LIMIT 1
                ), ended AS MATERIALIZED (
                 SELECT done.seq,
                    done.kind,
                    done.body,
                    (((planned_1.model -> 'steps'::text) -> (public.number_in(done.body, 'step'::text))::integer) -> 'id'::text) AS id
                   FROM (planned planned_1
                     JOIN public.facts done ON (((done.eid = e.eid) AND (done.seq > planned_1.at) AND (done.kind = ANY (ARRAY['step.completed'::text, 'step.failed'::text])))))
                  WHERE ((done.body ->> 'step'::text) IN ( SELECT (each_1.value ->> 0)
                           FROM json_array_elements((planned_1.plan -> 'plan'::text)) each_1(value)))
                )
         SELECT json_object_agg(each.key, each.value) AS json_object_agg
           FROM (planned
             CROSS JOIN LATERAL ( VALUES ('status'::text,to_json(
                        CASE
                            WHEN (planned.finished IS NULL) THEN 'IN_PROGRESS'::text
                            WHEN (json_array_length(COALESCE((planned.finished -> 'failed'::text), '[]'::json)) > 0) THEN 'COMPLETED_WITH_ERRORS'::text
                            ELSE 'COMPLETED'::text
                        END)), ('startedAt'::text,to_json(public.iso(public.number_in(planned.began, 'at'::text)))), ('plan'::text,( SELECT COALESCE(json_agg((((planned.model -> 'steps'::text) -> ((each_1.value ->> 0))::integer) -> 'id'::text) ORDER BY each_1.place), '[]'::json) AS "coalesce"
                           FROM json_array_elements(COALESCE((planned.plan -> 'plan'::text), '[]'::json)) WITH ORDINALITY each_1(value, place))), ('completed'::text,( SELECT COALESCE(json_agg(ended.id ORDER BY ended.seq), '[]'::json) AS "coalesce"
                           FROM ended
                          WHERE (ended.kind = 'step.completed'::text))), ('failed'::text,( SELECT COALESCE(json_agg(json_build_object('stepId', ended.id, 'error', (ended.body #> '{error,message}'::text[]), 'timestamp', public.iso(public.number_in(ended.body, 'at'::text))) ORDER BY ended.seq), '[]'::json) AS "coalesce"
                           FROM ended
                          WHERE (ended.kind = 'step.failed'::text))), ('unknown'::text,( SELECT json_agg((((planned.model -> 'steps'::text) -> (each_1.value)::integer) -> 'id'::text) ORDER BY each_1.place) AS json_agg
                           FROM json_array_elements_text(COALESCE((planned.plan -> 'unknown'::text), '[]'::json)) WITH ORDINALITY each_1(value, place))), ('completedAt'::text,to_json(public.iso(public.number_in(planned.finished, 'at'::text))))) each(key, value))
          WHERE (each.value IS NOT NULL)
         HAVING (count(*) > 0)) AS state
   FROM (public.executions e
     JOIN public.models ON (((models.digest = e.digest) AND (models.dialect = 'orchestration'::text))));


ALTER VIEW public.orchestration_undone OWNER TO postgres;

--
-- Name: VIEW orchestration_undone; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.orchestration_undone IS 'made by Perdure: 4a62e898179570839151456bea7fc96c65a072676aab901dd0ae7fd9da798f88';


--
-- Name: perdure; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.perdure (
    version bigint NOT NULL
);


ALTER TABLE public.perdure OWNER TO postgres;

--
-- Name: workflow_versions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.workflow_versions (
    organization text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    version text NOT NULL COLLATE pg_catalog."C",
    dialect text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    document text
);


ALTER TABLE public.workflow_versions OWNER TO postgres;

--
-- Name: workflows; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.workflows (
    organization text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    newest bigint NOT NULL,
    active bigint,
    digest text COLLATE pg_catalog."C"
);


ALTER TABLE public.workflows OWNER TO postgres;

--
-- Name: ports_definitions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.ports_definitions AS
 SELECT v.organization,
    v.workflow,
    v.name,
    v.version,
    v.status,
    told.template,
    listed.steps
   FROM ((((public.workflows w
     JOIN public.workflow_versions v ON (((v.organization = w.organization) AND (v.workflow = w.id) AND (v.number = COALESCE(w.active, w.newest)) AND (v.dialect = 'ports'::text))))
     CROSS JOIN LATERAL ( SELECT public.readable(v.document) AS document
         OFFSET 0) read)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (json_typeof(read.document) = 'array'::text) THEN (read.document -> 0)
                    WHEN (json_typeof((read.document -> 'workflowConfig'::text)) = 'object'::text) THEN (read.document -> 'workflowConfig'::text)
                    WHEN (json_typeof((read.document -> 'workflow'::text)) = 'object'::text) THEN (read.document -> 'workflow'::text)
                    WHEN (json_typeof((read.document -> 'template'::text)) = 'object'::text) THEN (read.document -> 'template'::text)
                    WHEN (json_typeof((read.document -> 'definition'::text)) = 'object'::text) THEN (read.document -> 'definition'::text)
                    ELSE read.document
                END AS template
         OFFSET 0) told)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (json_typeof(read.document) = 'array'::text) THEN (read.document -> 1)
                    ELSE COALESCE((read.document -> 'stepsConfig'::text), (read.document -> 'steps'::text), (told.template -> 'stepsConfig'::text), (told.template -> 'steps'::text))
                END AS steps
         OFFSET 0) listed);


ALTER VIEW public.ports_definitions OWNER TO postgres;

--
-- Name: VIEW ports_definitions; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.ports_definitions IS 'made by Perdure: 6188ce177cd3eae04ff615a5ba44f74cb813580dccca3864e405115b8d6098db';


--
-- Name: ports_executions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.ports_executions AS
 SELECT e.eid,
    e.id,
    e.organization,
    e.workflow,
    e.status,
    e.trigger,
    e.started_at,
    e.ended_at,
    e.output,
    e.error,
    begun.waiting,
    how.waits,
    modelled.model,
    begun.body,
    how.inline,
    how.input,
    read.document,
    told.template,
    listed.steps
   FROM (((((((public.executions e
     JOIN public.models ON (((models.digest = e.digest) AND (models.dialect = 'ports'::text))))
     CROSS JOIN LATERAL ( SELECT public.readable(convert_from(models.data, 'UTF8'::name)) AS model
         OFFSET 0) modelled)
     CROSS JOIN LATERAL ( SELECT COALESCE(public.readable(e.start), ( SELECT first.body
                   FROM public.facts first
                  WHERE ((first.eid = e.eid) AND (first.seq = 1)))) AS body,
            public.readable(e.waiting) AS waiting
         OFFSET 0) begun)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((begun.body #>> '{metadata,isInlineExecution}'::text[]) = 'true'::text) THEN (begun.body -> 'metadata'::text)
                    ELSE NULL::json
                END AS inline,
                CASE
                    WHEN ((e.status = 'waiting'::text) AND ((begun.waiting ->> 'step'::text) <> ''::text)) THEN begun.waiting
                    ELSE NULL::json
                END AS waits,
            COALESCE(( SELECT (forked.body -> 'input'::text)
                   FROM public.facts forked
                  WHERE ((forked.eid = e.eid) AND (forked.kind = 'execution.forked'::text) AND ((forked.body ->> 'edited_input'::text) = 'true'::text))
                  ORDER BY forked.seq DESC
                 LIMIT 1), (begun.body -> 'input'::text)) AS input
         OFFSET 0) how)
     CROSS JOIN LATERAL ( SELECT COALESCE(how.inline, public.readable(( SELECT v.document
                   FROM public.workflow_versions v
                  WHERE ((v.organization = e.organization) AND (v.workflow = e.workflow) AND (v.digest = e.digest))
                  ORDER BY (v.created_at <= e.started_at) DESC, v.number DESC
                 LIMIT 1))) AS document
         OFFSET 0) read)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (json_typeof(read.document) = 'array'::text) THEN (read.document -> 0)
                    WHEN (json_typeof((read.document -> 'workflowConfig'::text)) = 'object'::text) THEN (read.document -> 'workflowConfig'::text)
                    WHEN (json_typeof((read.document -> 'workflow'::text)) = 'object'::text) THEN (read.document -> 'workflow'::text)
                    WHEN (json_typeof((read.document -> 'template'::text)) = 'object'::text) THEN (read.document -> 'template'::text)
                    WHEN (json_typeof((read.document -> 'definition'::text)) = 'object'::text) THEN (read.document -> 'definition'::text)
                    ELSE read.document
                END AS template
         OFFSET 0) told)
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (json_typeof(read.document) = 'array'::text) THEN (read.document -> 1)
                    ELSE COALESCE((read.document -> 'stepsConfig'::text), (read.document -> 'steps'::text), (told.template -> 'stepsConfig'::text), (told.template -> 'steps'::text))
                END AS steps
         OFFSET 0) listed);


ALTER VIEW public.ports_executions OWNER TO postgres;

--
-- Name: VIEW ports_executions; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.ports_executions IS 'made by Perdure: 64d808015198383e94757fab75ad4e38d9c65ce6ffea92e17f110ca9ac182078';


--
-- Name: ports_loops_left; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.ports_loops_left AS
 SELECT opened.eid,
    opened.seq AS loop,
    later.seq,
    later.kind
   FROM (public.history opened
     JOIN public.facts later ON (((later.eid = opened.eid) AND (later.seq > opened.seq) AND (later.kind = ANY (ARRAY['step.completed'::text, 'loop.ticked'::text, 'step.failed'::text, 'loops.left'::text, 'execution.forked'::text])))))
  WHERE ((opened.kind = 'loop.opened'::text) AND
        CASE later.kind
            WHEN 'step.completed'::text THEN (public.number_in(later.body, 'scope'::text) = opened.seq)
            WHEN 'loop.ticked'::text THEN (public.number_in(later.body, 'scope'::text) < opened.seq)
            WHEN 'step.failed'::text THEN (public.number_in(later.body, 'loop'::text) < opened.seq)
            WHEN 'loops.left'::text THEN ((opened.seq)::text IN ( SELECT json_array_elements_text((later.body -> 'scopes'::text)) AS json_array_elements_text))
            WHEN 'execution.forked'::text THEN (json_typeof((later.body -> 'steps'::text)) = 'array'::text)
            ELSE NULL::boolean
        END);


ALTER VIEW public.ports_loops_left OWNER TO postgres;

--
-- Name: VIEW ports_loops_left; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.ports_loops_left IS 'made by Perdure: 479aa89bee156ee0a28fb79afb44e41af6be0998b2af961d5e6302cd874e81b7';


--
-- Name: ports_ticks; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.ports_ticks AS
 SELECT ticked.eid,
    ticked.seq,
    (((json_build_object('state', json_build_object('currentIndex', counted.start, 'totalItems', counted.total, 'iterations', (counted.start / counted.batch_size), 'batchesProcessed', (counted.start / counted.batch_size), 'isComplete', false), 'batch', json_build_object('index', (counted.start / counted.batch_size), 'size', LEAST(counted.batch_size, (counted.total - counted.start)), 'startIndex', counted.start, 'endIndex', (LEAST((counted.start + counted.batch_size), (counted.total)::bigint) - 1), 'items', ( SELECT json_agg(item.value ORDER BY item.place) AS json_agg
           FROM json_array_elements((opened.body -> 'items'::text)) WITH ORDINALITY item(value, place)
          WHERE (((item.place - 1) >= counted.start) AND ((item.place - 1) <= ((counted.start + counted.batch_size) - 1)))))))::jsonb ||
        CASE counted.batch_size
            WHEN 1 THEN jsonb_build_object('item', ((opened.body -> 'items'::text) -> (counted.start)::integer))
            ELSE '{}'::jsonb
        END))::json AS data,
    ( SELECT json_build_object('errors', json_agg(json_build_object('message', (failed.body #>> '{error,message}'::text[]), 'category', COALESCE((failed.body #>> '{error,category}'::text[]), 'UNKNOWN'::text), 'code', (failed.body #>> '{error,code}'::text[]), 'retriable', (COALESCE((failed.body #>> '{error,retriable}'::text[]), 'true'::text) = 'true'::text), 'details', (failed.body #> '{error,details}'::text[])) ORDER BY failed.seq)) AS json_build_object
           FROM public.facts failed
          WHERE ((failed.eid = ticked.eid) AND (failed.kind = 'step.failed'::text) AND (failed.seq < ticked.seq) AND (public.number_in(failed.body, 'loop'::text) = opened.seq))
         HAVING (count(*) > 0)) AS meta
   FROM ((public.facts ticked
     JOIN public.facts opened ON (((opened.eid = ticked.eid) AND (opened.seq = public.number_in(ticked.body, 'scope'::text)))))
     CROSS JOIN LATERAL ( SELECT public.number_in(ticked.body, 'start'::text) AS start,
            json_array_length((opened.body -> 'items'::text)) AS total,
            public.number_in(opened.body, 'batch_size'::text) AS batch_size
         OFFSET 0) counted)
  WHERE (ticked.kind = 'loop.ticked'::text);


ALTER VIEW public.ports_ticks OWNER TO postgres;

--
-- Name: VIEW ports_ticks; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.ports_ticks IS 'made by Perdure: ac1fdd43cef04fccc29e312472b29e97915d2c4c479f2b944bb8d2e2c34f4d56';


--
-- Name: ports_variables; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.ports_variables AS
 SELECT eid,
    ( SELECT json_build_object('steps', COALESCE(json_object_agg(told.slug, json_build_object('stepType', told.type, 'name', told.name, 'output', told.output)), '{}'::json), 'lastOutput', (array_agg(told.output) FILTER (WHERE (told.step = ( SELECT public.number_in(came.body, 'step'::text) AS number_in
                   FROM public.facts came
                  WHERE ((came.eid = e.eid) AND (came.kind = ANY (ARRAY['step.completed'::text, 'loop.ticked'::text])) AND ((((e.model -> 'steps'::text) -> (public.number_in(came.body, 'step'::text))::integer) ->> 'part_of'::text) IS NULL))
                  ORDER BY came.seq DESC
                 LIMIT 1))))[1]) AS json_build_object
           FROM ( SELECT ended.step,
                    ended.slug,
                    COALESCE(titled.type, 'action'::text) AS type,
                    COALESCE(titled.name, ended.slug) AS name,
                        CASE
                            WHEN (COALESCE(json_typeof(ended.meta), 'null'::text) = 'null'::text) THEN json_build_object('type', COALESCE(titled.type, 'action'::text), 'data', ended.data)
                            ELSE json_build_object('type', COALESCE(titled.type, 'action'::text), 'data', ended.data, 'meta', ended.meta)
                        END AS output
                   FROM (( SELECT last.step,
                            (step.value ->> 'id'::text) AS slug,
                                CASE last.kind
                                    WHEN 'loop.ticked'::text THEN ( SELECT tick.data
                                       FROM public.ports_ticks tick
                                      WHERE ((tick.eid = e.eid) AND (tick.seq = last.seq)))
                                    ELSE last.data
                                END AS data,
                                CASE last.kind
                                    WHEN 'loop.ticked'::text THEN ( SELECT tick.meta
                                       FROM public.ports_ticks tick
                                      WHERE ((tick.eid = e.eid) AND (tick.seq = last.seq)))
                                    ELSE last.meta
                                END AS meta
                           FROM (( SELECT DISTINCT ON (came.step) came.step,
                                    came.kind,
                                    came.data,
                                    came.meta,
                                    came.seq
                                   FROM ( SELECT f.seq,
    f.kind,
    public.number_in(f.body, 'step'::text) AS step,
    (f.body -> 'output'::text) AS data,
    (f.body -> 'meta'::text) AS meta
   FROM public.facts f
  WHERE ((f.eid = e.eid) AND (f.kind = ANY (ARRAY['step.completed'::text, 'loop.ticked'::text])))
UNION ALL
 SELECT f.seq,
    f.kind,
    (changed.key)::bigint AS key,
    changed.value,
    NULL::json
   FROM (public.facts f
     CROSS JOIN LATERAL json_each(COALESCE((f.body -> 'outputs'::text), '{}'::json)) changed(key, value))
  WHERE ((f.eid = e.eid) AND (f.kind = 'execution.forked'::text))) came
                                  ORDER BY came.step, came.seq DESC) last
                             JOIN json_array_elements((e.model -> 'steps'::text)) WITH ORDINALITY step(value, place) ON (((step.place - 1) = last.step)))
                          WHERE ((step.value ->> 'part_of'::text) IS NULL)) ended
                     LEFT JOIN ( SELECT COALESCE((each.step ->> 'stepSlug'::text), each.key) AS slug,
                                CASE (each.step ->> 'stepType'::text)
                                    WHEN 'start'::text THEN 'trigger'::text
                                    ELSE (each.step ->> 'stepType'::text)
                                END AS type,
                            COALESCE(NULLIF((each.step ->> 'name'::text), ''::text),
                                CASE json_typeof((each.step #> '{config,name}'::text[]))
                                    WHEN 'string'::text THEN NULLIF((each.step #>> '{config,name}'::text[]), ''::text)
                                    ELSE NULL::text
                                END) AS name
                           FROM ( SELECT json_array_elements.value AS step,
                                    NULL::text AS key
                                   FROM json_array_elements(
CASE json_typeof(e.steps)
 WHEN 'array'::text THEN e.steps
 ELSE '[]'::json
END) json_array_elements(value)
                                UNION ALL
                                 SELECT json_each.value,
                                    json_each.key
                                   FROM json_each(
CASE json_typeof(e.steps)
 WHEN 'object'::text THEN e.steps
 ELSE '{}'::json
END) json_each(key, value)) each) titled ON ((titled.slug = ended.slug)))) told) AS outcomes,
    ( SELECT
                CASE
                    WHEN (stated.is_open AND (stated.start IS NOT NULL) AND (stated.batch_size = 1)) THEN json_build_object('state', stated.state, 'item', (stated.items -> (stated.start)::integer), 'index', stated.start, 'items', stated.items)
                    ELSE json_build_object('state', stated.state, 'items', stated.items)
                END AS json_build_object
           FROM ( SELECT counted.is_open,
                    counted.items,
                    counted.total,
                    counted.batch_size,
                    counted.start,
                        CASE
                            WHEN counted.is_open THEN json_build_object('currentIndex', COALESCE(counted.start, (0)::bigint), 'totalItems', counted.total, 'iterations', COALESCE((counted.start / counted.batch_size), (0)::bigint), 'batchesProcessed', COALESCE((counted.start / counted.batch_size), (0)::bigint), 'isComplete', false)
                            ELSE json_build_object('currentIndex', counted.total, 'totalItems', counted.total, 'iterations', (((counted.total + counted.batch_size) - 1) / counted.batch_size), 'batchesProcessed', (((counted.total + counted.batch_size) - 1) / counted.batch_size), 'isComplete', true)
                        END AS state
                   FROM ( SELECT found.is_open,
                            (opened.body -> 'items'::text) AS items,
                            json_array_length((opened.body -> 'items'::text)) AS total,
                            public.number_in(opened.body, 'batch_size'::text) AS batch_size,
                            ( SELECT public.number_in(ticked.body, 'start'::text) AS number_in
                                   FROM public.facts ticked
                                  WHERE ((ticked.eid = e.eid) AND (ticked.seq > found.loop) AND (ticked.kind = 'loop.ticked'::text) AND (public.number_in(ticked.body, 'scope'::text) = found.loop))
                                  ORDER BY ticked.seq DESC
                                 LIMIT 1) AS start
                           FROM (( SELECT opened_1.seq AS loop,
                                    true AS is_open
                                   FROM public.history opened_1
                                  WHERE ((opened_1.eid = e.eid) AND (opened_1.kind = 'loop.opened'::text) AND (NOT (EXISTS ( SELECT 1
   FROM public.ports_loops_left been
  WHERE ((been.eid = e.eid) AND (been.loop = opened_1.seq))))))
                                UNION ALL
                                 SELECT done.loop,
                                    false
                                   FROM public.ports_loops_left done
                                  WHERE ((done.eid = e.eid) AND (done.kind = 'step.completed'::text) AND (NOT (EXISTS ( SELECT 1
   FROM public.history other
  WHERE ((other.eid = e.eid) AND (other.kind = 'loop.opened'::text) AND ((other.seq > done.seq) OR ((other.seq < done.loop) AND (NOT (EXISTS ( SELECT 1
     FROM public.ports_loops_left been
    WHERE ((been.eid = e.eid) AND (been.loop = other.seq) AND (been.seq < done.loop))))))))))))
                          ORDER BY 2 DESC, 1 DESC
                         LIMIT 1) found
                             JOIN public.facts opened ON (((opened.eid = e.eid) AND (opened.seq = found.loop))))) counted) stated) AS loop
   FROM public.ports_executions e;


ALTER VIEW public.ports_variables OWNER TO postgres;

--
-- Name: VIEW ports_variables; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.ports_variables IS 'made by Perdure: 437b283f7b384ace3d4e403780373144f05637ab4b626a55f2b66d144cae2621';


--
-- Name: schedules; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.schedules (
    organization text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    spec text NOT NULL,
    form bigint NOT NULL,
    paused smallint DEFAULT 0 NOT NULL,
    next_at bigint,
    last_slot bigint,
    last_execution text COLLATE pg_catalog."C",
    skipped bigint DEFAULT 0 NOT NULL,
    added smallint DEFAULT 0 NOT NULL
);


ALTER TABLE public.schedules OWNER TO postgres;

--
-- Name: snapshots; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.snapshots (
    eid bigint NOT NULL,
    seq bigint NOT NULL,
    form bigint NOT NULL,
    data bytea NOT NULL
);


ALTER TABLE public.snapshots OWNER TO postgres;

--
-- Name: subscriptions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.subscriptions (
    organization text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    digest text NOT NULL COLLATE pg_catalog."C",
    pattern text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.subscriptions OWNER TO postgres;

--
-- Name: trigger_log; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.trigger_log (
    pos bigint NOT NULL,
    organization text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    reason text,
    execution text COLLATE pg_catalog."C",
    delivery text,
    request text,
    times bigint NOT NULL,
    last_at bigint NOT NULL
);


ALTER TABLE public.trigger_log OWNER TO postgres;

--
-- Name: trigger_log_pos_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

ALTER TABLE public.trigger_log ALTER COLUMN pos ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.trigger_log_pos_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: uncalled; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.uncalled (
    eid bigint NOT NULL,
    op bigint NOT NULL,
    task text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.uncalled OWNER TO postgres;

--
-- Name: waits; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.waits (
    eid bigint NOT NULL,
    op bigint NOT NULL,
    organization text NOT NULL COLLATE pg_catalog."C",
    pattern text NOT NULL COLLATE pg_catalog."C",
    look_back boolean NOT NULL,
    wild smallint DEFAULT 0 NOT NULL,
    place text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    key text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);


ALTER TABLE public.waits OWNER TO postgres;

--
-- Name: wfDefinitions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public."wfDefinitions" AS
 SELECT workflow AS id,
    organization AS "organizationId",
    name,
    (template ->> 'description'::text) AS description,
    version,
    status,
    (template -> 'config'::text) AS config,
    (template -> 'metadata'::text) AS metadata
   FROM public.ports_definitions d;


ALTER VIEW public."wfDefinitions" OWNER TO postgres;

--
-- Name: VIEW "wfDefinitions"; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public."wfDefinitions" IS 'made by Perdure: 127b0fa79b42ba215ce62aa6b87b321e67df382303510a29f678ce1c7f7491ce';


--
-- Name: wfExecutions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public."wfExecutions" AS
 SELECT id,
    organization AS "organizationId",
        CASE
            WHEN ((inline IS NULL) AND (document IS NOT NULL)) THEN workflow
            ELSE NULL::text
        END AS "wfDefinitionId",
        CASE status
            WHEN 'waiting'::text THEN 'running'::text
            WHEN 'cancelled'::text THEN 'failed'::text
            ELSE status
        END AS status,
    ( SELECT COALESCE((step.value ->> 'part_of'::text), (step.value ->> 'id'::text)) AS "coalesce"
           FROM json_array_elements((e.model -> 'steps'::text)) WITH ORDINALITY step(value, place)
          WHERE
                CASE
                    WHEN (e.waits IS NULL) THEN ((step.place - 1) = ( SELECT public.number_in(entered.body, 'step'::text) AS number_in
                       FROM public.facts entered
                      WHERE ((entered.eid = e.eid) AND (entered.kind = ANY (ARRAY['step.scheduled'::text, 'timer.opened'::text, 'wait.opened'::text, 'approval.opened'::text, 'child.started'::text, 'foreach.opened'::text, 'step.completed'::text, 'step.failed'::text, 'loop.ticked'::text])))
                      ORDER BY entered.seq DESC
                     LIMIT 1))
                    ELSE ((step.value ->> 'id'::text) = (e.waits ->> 'step'::text))
                END) AS "currentStepSlug",
        CASE
            WHEN ((status = 'waiting'::text) AND ((waiting ->> 'kind'::text) = ANY (ARRAY['approval'::text, 'event'::text, 'timer'::text]))) THEN (waiting ->> 'kind'::text)
            ELSE NULL::text
        END AS "waitingFor",
    started_at AS "startedAt",
    GREATEST(ended_at, COALESCE(( SELECT public.number_in(last.body, 'at'::text) AS number_in
           FROM public.facts last
          WHERE (last.eid = e.eid)
          ORDER BY last.seq DESC
         LIMIT 1), started_at)) AS "updatedAt",
        CASE
            WHEN (status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) THEN ended_at
            ELSE NULL::bigint
        END AS "completedAt",
    id AS "componentWorkflowId",
    ( SELECT json_object_agg(every.name, every.value) AS json_object_agg
           FROM (( SELECT DISTINCT ON (spread.name) spread.name,
                    spread.value
                   FROM ( SELECT each.key AS name,
                            each.value,
                            1 AS rank
                           FROM json_each(
                                CASE json_typeof(e.input)
                                    WHEN 'object'::text THEN e.input
                                    ELSE '{}'::json
                                END) each(key, value)
                        UNION ALL
                         SELECT each.key,
                            each.value,
                            2
                           FROM json_each(
                                CASE json_typeof((e.body #> '{assigned,config}'::text[]))
                                    WHEN 'object'::text THEN (e.body #> '{assigned,config}'::text[])
                                    ELSE '{}'::json
                                END) each(key, value)
                          WHERE (each.key <> 'config'::text)
                        UNION ALL
                         SELECT assigned.name,
                            assigned.value,
                            3
                           FROM ( SELECT DISTINCT ON (every_1.name) every_1.name,
                                    every_1.value
                                   FROM ( SELECT each.key AS name,
    each.value,
    f.seq,
    false AS is_unset
   FROM (public.facts f
     CROSS JOIN LATERAL json_each(
  CASE json_typeof((f.body -> 'assigned'::text))
   WHEN 'object'::text THEN (f.body -> 'assigned'::text)
   ELSE '{}'::json
  END) each(key, value))
  WHERE ((f.eid = e.eid) AND (f.kind = ANY (ARRAY['step.completed'::text, 'execution.forked'::text])) AND (each.key <> 'config'::text))
UNION ALL
 SELECT each.value,
    NULL::json,
    f.seq,
    true
   FROM (public.facts f
     CROSS JOIN LATERAL json_array_elements_text(COALESCE((f.body -> 'unassigned'::text), '[]'::json)) each(value))
  WHERE ((f.eid = e.eid) AND (f.kind = 'step.completed'::text))) every_1
                                  ORDER BY every_1.name, every_1.seq DESC, every_1.is_unset DESC) assigned
                          WHERE (assigned.value IS NOT NULL)) spread
                  WHERE (spread.name <> ALL (ARRAY['steps'::text, 'lastOutput'::text, 'loop'::text, 'organizationId'::text, 'input'::text, 'secrets'::text]))
                  ORDER BY spread.name, spread.rank DESC)
                UNION ALL
                 SELECT 'organizationId'::text,
                    to_json(e.organization) AS to_json
                UNION ALL
                 SELECT 'input'::text,
                    e.input
                  WHERE (json_typeof(e.input) <> 'null'::text)
                UNION ALL
                 SELECT 'secrets'::text,
                    json_object_agg((secret.value ->> 'name'::text), '***') AS json_object_agg
                   FROM json_array_elements(COALESCE((e.model -> 'secrets'::text), '[]'::json)) secret(value)
                 HAVING (count(*) > 0)
                UNION ALL
                 SELECT 'steps'::text,
                    (made.outcomes -> 'steps'::text)
                   FROM public.ports_variables made
                  WHERE (made.eid = e.eid)
                UNION ALL
                 SELECT 'lastOutput'::text,
                    (made.outcomes -> 'lastOutput'::text)
                   FROM public.ports_variables made
                  WHERE (made.eid = e.eid)
                UNION ALL
                 SELECT 'loop'::text,
                    made.loop
                   FROM public.ports_variables made
                  WHERE ((made.eid = e.eid) AND (made.loop IS NOT NULL))) every) AS variables,
        CASE
            WHEN (document IS NOT NULL) THEN
            CASE json_typeof((template -> 'config'::text))
                WHEN 'object'::text THEN (template -> 'config'::text)
                ELSE '{}'::json
            END
            ELSE NULL::json
        END AS "workflowConfig",
        CASE
            WHEN (document IS NOT NULL) THEN COALESCE(( SELECT json_object_agg(COALESCE((every.step ->> 'stepSlug'::text), every.key),
                    CASE json_typeof((every.step -> 'config'::text))
                        WHEN 'object'::text THEN (every.step -> 'config'::text)
                        ELSE '{}'::json
                    END) AS json_object_agg
               FROM ( SELECT json_array_elements.value AS step,
                        NULL::text AS key
                       FROM json_array_elements(
                            CASE json_typeof(e.steps)
                                WHEN 'array'::text THEN e.steps
                                ELSE '[]'::json
                            END) json_array_elements(value)
                    UNION ALL
                     SELECT json_each.value,
                        json_each.key
                       FROM json_each(
                            CASE json_typeof(e.steps)
                                WHEN 'object'::text THEN e.steps
                                ELSE '{}'::json
                            END) json_each(key, value)) every), '{}'::json)
            ELSE NULL::json
        END AS "stepsConfig",
    input,
        CASE status
            WHEN 'completed'::text THEN public.readable(output)
            ELSE NULL::json
        END AS output,
        CASE status
            WHEN 'cancelled'::text THEN 'canceled'::text
            WHEN 'failed'::text THEN (public.readable(error) ->> 'message'::text)
            ELSE NULL::text
        END AS error,
    trigger AS "triggeredBy",
    (body -> 'trigger_data'::text) AS "triggerData",
    ((
        CASE json_typeof((body -> 'metadata'::text))
            WHEN 'object'::text THEN ((body -> 'metadata'::text))::jsonb
            ELSE '{}'::jsonb
        END || COALESCE(( SELECT jsonb_build_object('resumeWithPort', (ended.body ->> 'port'::text)) AS jsonb_build_object
           FROM public.facts ended
          WHERE ((ended.eid = e.eid) AND (ended.kind = 'step.completed'::text) AND (public.number_in(ended.body, 'op'::text) > 0) AND ((((e.model -> 'steps'::text) -> (public.number_in(ended.body, 'step'::text))::integer) #>> '{work,kind}'::text[]) = 'approval'::text))
          ORDER BY ended.seq DESC
         LIMIT 1), '{}'::jsonb)))::json AS metadata
   FROM public.ports_executions e;


ALTER VIEW public."wfExecutions" OWNER TO postgres;

--
-- Name: VIEW "wfExecutions"; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public."wfExecutions" IS 'made by Perdure: dd859500f6cad5f5220294e4065f0c0ff5713b33a947e9221085f53f3f89247a';


--
-- Name: wfStepDefs; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public."wfStepDefs" AS
 SELECT ((d.workflow || '/'::text) || named.slug) AS id,
    d.organization AS "organizationId",
    d.workflow AS "wfDefinitionId",
    named.slug AS "stepSlug",
    COALESCE(NULLIF((every.step ->> 'name'::text), ''::text),
        CASE json_typeof((every.step #> '{config,name}'::text[]))
            WHEN 'string'::text THEN NULLIF((every.step #>> '{config,name}'::text[]), ''::text)
            ELSE NULL::text
        END, named.slug) AS name,
    (every.step ->> 'description'::text) AS description,
        CASE (every.step ->> 'stepType'::text)
            WHEN 'start'::text THEN 'trigger'::text
            ELSE (every.step ->> 'stepType'::text)
        END AS "stepType",
        CASE json_typeof((every.step -> 'order'::text))
            WHEN 'number'::text THEN ((every.step ->> 'order'::text))::double precision
            ELSE ((every.place - 1))::double precision
        END AS "order",
        CASE json_typeof((every.step -> 'nextSteps'::text))
            WHEN 'object'::text THEN (every.step -> 'nextSteps'::text)
            ELSE '{}'::json
        END AS "nextSteps",
        CASE json_typeof((every.step -> 'config'::text))
            WHEN 'object'::text THEN (every.step -> 'config'::text)
            ELSE '{}'::json
        END AS config,
    (every.step -> 'inputMapping'::text) AS "inputMapping",
    (every.step -> 'outputMapping'::text) AS "outputMapping",
    (every.step -> 'metadata'::text) AS metadata
   FROM ((public.ports_definitions d
     CROSS JOIN LATERAL ( SELECT each.value AS step,
            NULL::text AS key,
            each.place
           FROM json_array_elements(
                CASE json_typeof(d.steps)
                    WHEN 'array'::text THEN d.steps
                    ELSE '[]'::json
                END) WITH ORDINALITY each(value, place)
        UNION ALL
         SELECT each.value,
            each.key,
            each.place
           FROM json_each(
                CASE json_typeof(d.steps)
                    WHEN 'object'::text THEN d.steps
                    ELSE '{}'::json
                END) WITH ORDINALITY each(key, value, place)) every)
     CROSS JOIN LATERAL ( SELECT COALESCE((every.step ->> 'stepSlug'::text), every.key) AS slug) named);


ALTER VIEW public."wfStepDefs" OWNER TO postgres;

--
-- Name: VIEW "wfStepDefs"; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public."wfStepDefs" IS 'made by Perdure: 8e2eb183ba008eb29c2990d86ade6dc443f8335deba07c9d2e0aa56d5bec0f44';


--
-- Name: workers; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.workers (
    id text NOT NULL COLLATE pg_catalog."C",
    lease_until bigint NOT NULL,
    tasks text DEFAULT '[]'::text NOT NULL,
    barred boolean DEFAULT false NOT NULL
);


ALTER TABLE public.workers OWNER TO postgres;

--
-- Name: workflow_definitions; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.workflow_definitions AS
 SELECT ((((v.organization || '/'::text) || v.workflow) || '@'::text) || v.version) AS id,
    v.workflow AS workflow_id,
    v.name,
    (read.document ->> 'description'::text) AS description,
    v.version,
    (read.document -> 'steps'::text) AS steps,
    (read.document -> 'inputSchema'::text) AS input_schema,
    (read.document -> 'triggers'::text) AS triggers,
    (read.document -> 'cancellationTriggers'::text) AS cancellation_triggers,
    (read.document -> 'compensationSteps'::text) AS compensation_steps,
    public.iso(v.created_at) AS created_at,
    public.iso(v.created_at) AS updated_at,
    v.organization,
    v.status
   FROM (public.workflow_versions v
     CROSS JOIN LATERAL ( SELECT public.readable(v.document) AS document
         OFFSET 0) read)
  WHERE (v.dialect = 'orchestration'::text);


ALTER VIEW public.workflow_definitions OWNER TO postgres;

--
-- Name: VIEW workflow_definitions; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.workflow_definitions IS 'made by Perdure: 73bf286ca8214f28def19528b32b58d21f3befb318fb4182bb459c0f351a3ca7';


--
-- Name: workflow_instances; Type: VIEW; Schema: public; Owner: postgres
--

CREATE VIEW public.workflow_instances AS
 SELECT e.id,
    ((((v.organization || '/'::text) || v.workflow) || '@'::text) || v.version) AS workflow_definition_id,
        CASE e.status
            WHEN 'pending'::text THEN 'CREATED'::text
            WHEN 'running'::text THEN 'RUNNING'::text
            WHEN 'completed'::text THEN 'COMPLETED'::text
            WHEN 'failed'::text THEN 'FAILED'::text
            WHEN 'cancelled'::text THEN 'CANCELLED'::text
            WHEN 'waiting'::text THEN
            CASE
                WHEN (substr(e.waiting, 1, 14) = ANY (ARRAY['{"kind":"event'::text, '{"kind":"appro'::text])) THEN 'WAITING_FOR_EVENT'::text
                ELSE 'RUNNING'::text
            END
            ELSE NULL::text
        END AS status,
    ( SELECT json_build_object('variables', ( SELECT COALESCE(json_object_agg(assigned.name, assigned.value), '{}'::json) AS "coalesce"
                   FROM ( SELECT DISTINCT ON (each.key) each.key AS name,
                            each.value
                           FROM (public.facts f
                             CROSS JOIN LATERAL json_each(
                                CASE json_typeof((f.body -> 'assigned'::text))
                                    WHEN 'object'::text THEN (f.body -> 'assigned'::text)
                                    ELSE '{}'::json
                                END) each(key, value))
                          WHERE ((f.eid = e.eid) AND (f.kind = ANY (ARRAY['execution.started'::text, 'step.completed'::text, 'execution.forked'::text])))
                          ORDER BY each.key, f.seq DESC) assigned), 'currentStepId',
                CASE
                    WHEN (e.status <> ALL (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) THEN COALESCE(
                    CASE e.status
                        WHEN 'waiting'::text THEN NULLIF((read.waits ->> 'step'::text), ''::text)
                        ELSE NULL::text
                    END, ( SELECT COALESCE((((read.model -> 'steps'::text) -> (public.number_in(entered.body, 'step'::text))::integer) ->> 'part_of'::text), (((read.model -> 'steps'::text) -> (public.number_in(entered.body, 'step'::text))::integer) ->> 'id'::text)) AS "coalesce"
                       FROM public.facts entered
                      WHERE ((entered.eid = e.eid) AND ((entered.kind = ANY (ARRAY['step.scheduled'::text, 'wait.opened'::text, 'approval.opened'::text])) OR ((entered.kind = ANY (ARRAY['step.completed'::text, 'step.failed'::text])) AND ((entered.body ->> 'op'::text) IS NULL))))
                      ORDER BY entered.seq DESC
                     LIMIT 1))
                    ELSE NULL::text
                END, 'steps', ( SELECT told.steps
                   FROM public.orchestration_steps told
                  WHERE (told.eid = e.eid)), 'waitingForEvent',
                CASE
                    WHEN ((e.status = 'waiting'::text) AND ((read.waits ->> 'kind'::text) = 'event'::text)) THEN ( SELECT json_object_agg(each.key, each.value) AS json_object_agg
                       FROM ( VALUES ('eventPattern'::text,(read.waits -> 'on'::text)), ('since'::text,to_json(public.iso(public.number_in(read.waits, 'since'::text)))), ('eventCondition'::text,( SELECT COALESCE(( SELECT (written.value -> 1)
    FROM json_array_elements(COALESCE((read.model -> 'written'::text), '[]'::json)) WITH ORDINALITY written(value, place)
   WHERE ((written.value ->> 0) = (step.value #>> '{work,condition,source}'::text[]))
   ORDER BY written.place DESC
  LIMIT 1), (step.value #> '{work,condition,source}'::text[])) AS "coalesce"
                                       FROM json_array_elements((read.model -> 'steps'::text)) step(value)
                                      WHERE (((step.value ->> 'id'::text) = (read.waits ->> 'step'::text)) AND ((step.value #>> '{work,condition,kind}'::text[]) = 'expression'::text))))) each(key, value)
                      WHERE (each.value IS NOT NULL))
                    ELSE NULL::json
                END) AS json_build_object
           FROM ( SELECT public.readable(convert_from(e.model, 'UTF8'::name)) AS model,
                    public.readable(e.waiting) AS waits
                 OFFSET 0) read) AS state,
    COALESCE(( SELECT COALESCE((forked.body -> 'input'::text), 'null'::json) AS "coalesce"
           FROM public.facts forked
          WHERE ((forked.eid = e.eid) AND (forked.kind = 'execution.forked'::text) AND ((forked.body ->> 'edited_input'::text) = 'true'::text))
          ORDER BY forked.seq DESC
         LIMIT 1), ( SELECT (started.body -> 'input'::text)
           FROM public.facts started
          WHERE ((started.eid = e.eid) AND (started.seq = 1)))) AS input,
    e.correlation_id,
    ( SELECT COALESCE(max(history.seq), (0)::bigint) AS "coalesce"
           FROM public.history
          WHERE (history.eid = e.eid)) AS version,
    public.iso(e.started_at) AS created_at,
    public.iso(GREATEST(e.ended_at, COALESCE(( SELECT public.number_in(last.body, 'at'::text) AS number_in
           FROM public.facts last
          WHERE (last.eid = e.eid)
          ORDER BY last.seq DESC
         LIMIT 1), e.started_at))) AS updated_at,
    public.iso(e.started_at) AS started_at,
        CASE
            WHEN (e.status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) THEN public.iso(e.ended_at)
            ELSE NULL::text
        END AS completed_at,
    ( SELECT ( SELECT json_object_agg(each.key, each.value) AS json_object_agg
                   FROM ( VALUES ('reason'::text,(gone.body -> 'reason'::text)), ('requestedBy'::text,(gone.body -> 'by'::text)), ('requestedAt'::text,to_json(public.iso(public.number_in(gone.body, 'at'::text)))), ('source'::text,(gone.body -> 'source'::text)), ('eventId'::text,(gone.body -> 'event_id'::text))) each(key, value)
                  WHERE (each.value IS NOT NULL)) AS json_object_agg
           FROM public.facts gone
          WHERE ((gone.eid = e.eid) AND (gone.kind = 'execution.cancelled'::text))
          ORDER BY gone.seq DESC
         LIMIT 1) AS cancellation,
    ( SELECT undone.state
           FROM public.orchestration_undone undone
          WHERE (undone.eid = e.eid)) AS compensation_state,
        CASE e.status
            WHEN 'completed'::text THEN public.readable(e.output)
            ELSE NULL::json
        END AS output,
        CASE e.status
            WHEN 'failed'::text THEN public.error_info(public.readable(e.error), e.ended_at)
            ELSE NULL::json
        END AS error,
    e.workflow AS workflow_id,
    v.version AS workflow_version,
    ( SELECT (started.body ->> 'event_id'::text)
           FROM public.facts started
          WHERE ((started.eid = e.eid) AND (started.seq = 1))) AS trigger_event_id,
    e.organization,
    e.status_at,
    public.waited(e.status, e.waiting, 'on'::text, false) AS waiting_for_pattern,
    public.waited(e.status, e.waiting, 'step'::text, true) AS waiting_at_step
   FROM (public.orchestration_executions e
     LEFT JOIN public.workflow_versions v ON (((v.organization = e.organization) AND (v.workflow = e.workflow) AND (v.number = ( SELECT kept.number
           FROM public.workflow_versions kept
          WHERE ((kept.organization = e.organization) AND (kept.workflow = e.workflow) AND (kept.digest = e.digest))
          ORDER BY (kept.created_at <= e.started_at) DESC, kept.number DESC
         LIMIT 1)))));


ALTER VIEW public.workflow_instances OWNER TO postgres;

--
-- Name: VIEW workflow_instances; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON VIEW public.workflow_instances IS 'made by Perdure: c18debad24a156b60d171edbdb3bbb9dec8f1a1098b3324343b79cabc19a22f3';


--
-- Data for Name: answers; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.answers (organization, key, request, promised_by, promised_at, until, answered_at, status, content_type, headers, body) FROM stdin;
\.


--
-- Data for Name: approval_items; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.approval_items (id, eid, op, organization, status, data, pos, workflow, member, role, handed, late, claimed, resource_type, resource_id) FROM stdin;
c71281cce41e8b7e3f2f1970	1	805	default	pending	{"id":"c71281cce41e8b7e3f2f1970","execution":"01a1f09b0c07f2f650bb7ac2d72086df","op":805,"step":"ask","request":{"last":798},"opened_at":1795038055431,"asked":{"role":"finance","fixed":true},"workflow":"wf_d728cd880b5a7b386c7312f2"}	1	wf_d728cd880b5a7b386c7312f2	\N	finance	\N	0	\N	\N	01a1f09b0c07f2f650bb7ac2d72086df
\.


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.audit (pos, organization, writer, number, data, approval) FROM stdin;
1	default	vm-26085-0da6037b	1	{"organization":"default","writer":"vm-26085-0da6037b","number":1,"at":1795038055407,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_d728cd880b5a7b386c7312f2","details":{"name":"long","version":"1","status":"active","digest":"9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316"},"hash":"0dd6c42d270476b2cc5782cf24829ce2688b718c7056b25d8601ee067f0cb4f1"}	\N
2	default	vm-26085-0da6037b	2	{"organization":"default","writer":"vm-26085-0da6037b","number":2,"at":1795038055418,"by":"program","action":"member.added","register":"members","subject":"root","details":{"before":null,"after":{"roles":["viewer","operator","admin"]}},"hash":"e512093548a9df84db84119d635a61a2cc19e883e7fb5578def77ddf92b00719"}	\N
3	default	vm-26085-0da6037b	3	{"organization":"default","writer":"vm-26085-0da6037b","number":3,"at":1795038055423,"by":"program","action":"member.added","register":"members","subject":"ann","details":{"before":null,"after":{"roles":["viewer","approver"],"groups":["finance"]}},"hash":"a1882f2a02df0148bd4535e3bdcc92256b5703c404695f0a83dd6974abca3c36"}	\N
4	default	vm-26085-0da6037b	4	{"organization":"default","writer":"vm-26085-0da6037b","number":4,"at":1795038055426,"by":"program","action":"key.created","register":"keys","subject":"a977ab46b7c263feee29fef4be8a57bebe8b609e80e1acb6b5fcbaa692ba9c2b","details":{"id":"0ms4te2kst","member":"root","scopes":[]},"hash":"b9aeda76b45454d94f8b3dcde4589b245e15fbbf996bb8366c2e33e6a778ee94"}	\N
5	default	vm-26085-0da6037b	5	{"organization":"default","writer":"vm-26085-0da6037b","number":5,"at":1795038055429,"by":"program","action":"key.created","register":"keys","subject":"52f8991e28be037b02794ce86f98f91f344da4111661f4e90fa3b36b3ae9b836","details":{"id":"npe5ntefjd","member":"ann","scopes":[]},"hash":"2ba5aabe0a5d99c2a337cbb914536d59370374a7ccd27eccf46f33df158cc148"}	\N
\.


--
-- Data for Name: audit_chains; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.audit_chains (organization, writer, entries, hash) FROM stdin;
default	vm-26085-0da6037b	5	2ba5aabe0a5d99c2a337cbb914536d59370374a7ccd27eccf46f33df158cc148
\.


--
-- Data for Name: cards; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.cards (organization, register, id, revision, changed_at, data) FROM stdin;
default	members	root	1	1795038055418	{"roles":["viewer","operator","admin"],"since":1795038055418}
default	members	ann	1	1795038055423	{"roles":["viewer","approver"],"groups":["finance"],"since":1795038055423}
default	keys	a977ab46b7c263feee29fef4be8a57bebe8b609e80e1acb6b5fcbaa692ba9c2b	1	1795038055426	{"id":"0ms4te2kst","member":"root","createdAt":1795038055426,"createdBy":"program"}
default	keys	52f8991e28be037b02794ce86f98f91f344da4111661f4e90fa3b36b3ae9b836	1	1795038055429	{"id":"npe5ntefjd","member":"ann","createdAt":1795038055429,"createdBy":"program"}
\.


--
-- Data for Name: consumed; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.consumed (eid, event) FROM stdin;
\.


--
-- Data for Name: dedups; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.dedups (eid, dedup) FROM stdin;
\.


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.deliveries (eid, event) FROM stdin;
\.


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.events (pos, organization, id, type, routed, data, declined, reached) FROM stdin;
13086228739	default	01a1f09b0c07f2f650bb7ac2d72086df:started:258	workflow.started	t	{"id":"01a1f09b0c07f2f650bb7ac2d72086df:started:258","type":"workflow.started","at":1795038055431,"data":{"executionId":"01a1f09b0c07f2f650bb7ac2d72086df","workflowId":"wf_d728cd880b5a7b386c7312f2","name":"long","status":"started"},"source":"01a1f09b0c07f2f650bb7ac2d72086df","correlation_id":"long","depth":0,"told_by":"wf_d728cd880b5a7b386c7312f2"}	\N	0
\.


--
-- Data for Name: executions; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.executions (eid, id, organization, workflow, digest, status, live, ready, mail, wake_at, owner, epoch, crashes, seq, waiting, output, error, trigger, correlation_id, parent, parent_op, depth, started_at, ended_at, start, born, status_at) FROM stdin;
1	01a1f09b0c07f2f650bb7ac2d72086df	default	wf_d728cd880b5a7b386c7312f2	9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316	waiting	t	f	0	\N	\N	1	0	805	{"kind":"approval","step":"ask","since":1795038055431}	\N	\N	api	long	\N	0	0	1795038055431	\N	\N	780:780:	1795038055482
\.


--
-- Data for Name: forgotten; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.forgotten (organization, pos) FROM stdin;
\.


--
-- Data for Name: history; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.history (pos, eid, seq, kind, scope, parts, data) FROM stdin;
13086228481	1	1	execution.started	\N	0	{"kind":"execution.started","at":1795038055431,"execution":"01a1f09b0c07f2f650bb7ac2d72086df","workflow":"9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316","input":{"items":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,130,131,132,133,134,135,136,137,138,139,140,141,142,143,144,145,146,147,148,149,150,151,152,153,154,155,156,157,158,159,160,161,162,163,164,165,166,167,168,169,170,171,172,173,174,175,176,177,178,179,180,181,182,183,184,185,186,187,188,189,190,191,192,193,194,195,196,197,198,199,200,201,202,203,204,205,206,207,208,209,210,211,212,213,214,215,216,217,218,219,220,221,222,223,224,225,226,227,228,229,230,231,232,233,234,235,236,237,238,239,240,241,242,243,244,245,246,247,248,249,250,251,252,253,254,255,256,257,258,259,260,261,262,263,264,265,266,267,268,269,270,271,272,273,274,275,276,277,278,279,280,281,282,283,284,285,286,287,288,289,290,291,292,293,294,295,296,297,298,299,300,301,302,303,304,305,306,307,308,309,310,311,312,313,314,315,316,317,318,319,320,321,322,323,324,325,326,327,328,329,330,331,332,333,334,335,336,337,338,339,340,341,342,343,344,345,346,347,348,349,350,351,352,353,354,355,356,357,358,359,360,361,362,363,364,365,366,367,368,369,370,371,372,373,374,375,376,377,378,379,380,381,382,383,384,385,386,387,388,389,390,391,392,393,394,395,396,397,398,399]},"entry":0,"trigger":"api","correlation_id":"long","assigned":{"config":{}}}
13086228482	1	2	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T21:40:55.431Z"}},"next":[1]}
13086228483	1	3	loop.opened	\N	1	{"kind":"loop.opened","at":1795038055431,"step":1,"items":[],"batch_size":1}
13086228484	1	4	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":0,"next":[2]}
13086228485	1	5	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":0},"port":"success","assigned":{"last":0},"again":[1]}
13086228486	1	6	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":1,"next":[2]}
13086228487	1	7	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":2},"port":"success","assigned":{"last":2},"again":[1]}
13086228488	1	8	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":2,"next":[2]}
13086228489	1	9	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":4},"port":"success","assigned":{"last":4},"again":[1]}
13086228490	1	10	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":3,"next":[2]}
13086228491	1	11	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":6},"port":"success","assigned":{"last":6},"again":[1]}
13086228492	1	12	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":4,"next":[2]}
13086228493	1	13	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":8},"port":"success","assigned":{"last":8},"again":[1]}
13086228494	1	14	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":5,"next":[2]}
13086228495	1	15	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":10},"port":"success","assigned":{"last":10},"again":[1]}
13086228496	1	16	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":6,"next":[2]}
13086228497	1	17	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":12},"port":"success","assigned":{"last":12},"again":[1]}
13086228498	1	18	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":7,"next":[2]}
13086228499	1	19	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":14},"port":"success","assigned":{"last":14},"again":[1]}
13086228500	1	20	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":8,"next":[2]}
13086228501	1	21	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":16},"port":"success","assigned":{"last":16},"again":[1]}
13086228502	1	22	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":9,"next":[2]}
13086228503	1	23	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":18},"port":"success","assigned":{"last":18},"again":[1]}
13086228504	1	24	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":10,"next":[2]}
13086228505	1	25	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":20},"port":"success","assigned":{"last":20},"again":[1]}
13086228506	1	26	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":11,"next":[2]}
13086228507	1	27	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":22},"port":"success","assigned":{"last":22},"again":[1]}
13086228508	1	28	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":12,"next":[2]}
13086228509	1	29	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":24},"port":"success","assigned":{"last":24},"again":[1]}
13086228510	1	30	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":13,"next":[2]}
13086228511	1	31	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":26},"port":"success","assigned":{"last":26},"again":[1]}
13086228512	1	32	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":14,"next":[2]}
13086228513	1	33	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":28},"port":"success","assigned":{"last":28},"again":[1]}
13086228514	1	34	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":15,"next":[2]}
13086228646	1	166	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":81,"next":[2]}
13086228515	1	35	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":30},"port":"success","assigned":{"last":30},"again":[1]}
13086228516	1	36	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":16,"next":[2]}
13086228517	1	37	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":32},"port":"success","assigned":{"last":32},"again":[1]}
13086228518	1	38	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":17,"next":[2]}
13086228519	1	39	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":34},"port":"success","assigned":{"last":34},"again":[1]}
13086228520	1	40	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":18,"next":[2]}
13086228521	1	41	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":36},"port":"success","assigned":{"last":36},"again":[1]}
13086228522	1	42	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":19,"next":[2]}
13086228523	1	43	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":38},"port":"success","assigned":{"last":38},"again":[1]}
13086228524	1	44	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":20,"next":[2]}
13086228525	1	45	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":40},"port":"success","assigned":{"last":40},"again":[1]}
13086228526	1	46	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":21,"next":[2]}
13086228527	1	47	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":42},"port":"success","assigned":{"last":42},"again":[1]}
13086228528	1	48	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":22,"next":[2]}
13086228529	1	49	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":44},"port":"success","assigned":{"last":44},"again":[1]}
13086228530	1	50	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":23,"next":[2]}
13086228531	1	51	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":46},"port":"success","assigned":{"last":46},"again":[1]}
13086228532	1	52	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":24,"next":[2]}
13086228533	1	53	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":48},"port":"success","assigned":{"last":48},"again":[1]}
13086228534	1	54	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":25,"next":[2]}
13086228535	1	55	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":50},"port":"success","assigned":{"last":50},"again":[1]}
13086228536	1	56	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":26,"next":[2]}
13086228537	1	57	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":52},"port":"success","assigned":{"last":52},"again":[1]}
13086228538	1	58	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":27,"next":[2]}
13086228539	1	59	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":54},"port":"success","assigned":{"last":54},"again":[1]}
13086228540	1	60	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":28,"next":[2]}
13086228541	1	61	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":56},"port":"success","assigned":{"last":56},"again":[1]}
13086228542	1	62	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":29,"next":[2]}
13086228543	1	63	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":58},"port":"success","assigned":{"last":58},"again":[1]}
13086228544	1	64	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":30,"next":[2]}
13086228545	1	65	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":60},"port":"success","assigned":{"last":60},"again":[1]}
13086228546	1	66	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":31,"next":[2]}
13086228547	1	67	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":62},"port":"success","assigned":{"last":62},"again":[1]}
13086228548	1	68	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":32,"next":[2]}
13086228549	1	69	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":64},"port":"success","assigned":{"last":64},"again":[1]}
13086228550	1	70	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":33,"next":[2]}
13086228551	1	71	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":66},"port":"success","assigned":{"last":66},"again":[1]}
13086228552	1	72	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":34,"next":[2]}
13086228553	1	73	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":68},"port":"success","assigned":{"last":68},"again":[1]}
13086228554	1	74	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":35,"next":[2]}
13086228555	1	75	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":70},"port":"success","assigned":{"last":70},"again":[1]}
13086228556	1	76	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":36,"next":[2]}
13086228557	1	77	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":72},"port":"success","assigned":{"last":72},"again":[1]}
13086228558	1	78	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":37,"next":[2]}
13086228559	1	79	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":74},"port":"success","assigned":{"last":74},"again":[1]}
13086228560	1	80	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":38,"next":[2]}
13086228561	1	81	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":76},"port":"success","assigned":{"last":76},"again":[1]}
13086228562	1	82	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":39,"next":[2]}
13086228563	1	83	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":78},"port":"success","assigned":{"last":78},"again":[1]}
13086228564	1	84	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":40,"next":[2]}
13086228565	1	85	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":80},"port":"success","assigned":{"last":80},"again":[1]}
13086228566	1	86	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":41,"next":[2]}
13086228567	1	87	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":82},"port":"success","assigned":{"last":82},"again":[1]}
13086228568	1	88	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":42,"next":[2]}
13086228569	1	89	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":84},"port":"success","assigned":{"last":84},"again":[1]}
13086228570	1	90	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":43,"next":[2]}
13086228571	1	91	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":86},"port":"success","assigned":{"last":86},"again":[1]}
13086228572	1	92	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":44,"next":[2]}
13086228573	1	93	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":88},"port":"success","assigned":{"last":88},"again":[1]}
13086228574	1	94	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":45,"next":[2]}
13086228575	1	95	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":90},"port":"success","assigned":{"last":90},"again":[1]}
13086228576	1	96	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":46,"next":[2]}
13086228577	1	97	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":92},"port":"success","assigned":{"last":92},"again":[1]}
13086228578	1	98	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":47,"next":[2]}
13086228579	1	99	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":94},"port":"success","assigned":{"last":94},"again":[1]}
13086228580	1	100	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":48,"next":[2]}
13086228581	1	101	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":96},"port":"success","assigned":{"last":96},"again":[1]}
13086228582	1	102	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":49,"next":[2]}
13086228583	1	103	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":98},"port":"success","assigned":{"last":98},"again":[1]}
13086228584	1	104	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":50,"next":[2]}
13086228585	1	105	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":100},"port":"success","assigned":{"last":100},"again":[1]}
13086228586	1	106	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":51,"next":[2]}
13086228587	1	107	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":102},"port":"success","assigned":{"last":102},"again":[1]}
13086228588	1	108	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":52,"next":[2]}
13086228589	1	109	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":104},"port":"success","assigned":{"last":104},"again":[1]}
13086228590	1	110	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":53,"next":[2]}
13086228591	1	111	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":106},"port":"success","assigned":{"last":106},"again":[1]}
13086228592	1	112	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":54,"next":[2]}
13086228593	1	113	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":108},"port":"success","assigned":{"last":108},"again":[1]}
13086228594	1	114	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":55,"next":[2]}
13086228595	1	115	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":110},"port":"success","assigned":{"last":110},"again":[1]}
13086228596	1	116	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":56,"next":[2]}
13086228597	1	117	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":112},"port":"success","assigned":{"last":112},"again":[1]}
13086228598	1	118	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":57,"next":[2]}
13086228599	1	119	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":114},"port":"success","assigned":{"last":114},"again":[1]}
13086228600	1	120	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":58,"next":[2]}
13086228601	1	121	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":116},"port":"success","assigned":{"last":116},"again":[1]}
13086228602	1	122	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":59,"next":[2]}
13086228603	1	123	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":118},"port":"success","assigned":{"last":118},"again":[1]}
13086228604	1	124	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":60,"next":[2]}
13086228605	1	125	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":120},"port":"success","assigned":{"last":120},"again":[1]}
13086228606	1	126	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":61,"next":[2]}
13086228607	1	127	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":122},"port":"success","assigned":{"last":122},"again":[1]}
13086228608	1	128	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":62,"next":[2]}
13086228609	1	129	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":124},"port":"success","assigned":{"last":124},"again":[1]}
13086228610	1	130	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":63,"next":[2]}
13086228611	1	131	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":126},"port":"success","assigned":{"last":126},"again":[1]}
13086228612	1	132	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":64,"next":[2]}
13086228613	1	133	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":128},"port":"success","assigned":{"last":128},"again":[1]}
13086228614	1	134	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":65,"next":[2]}
13086228615	1	135	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":130},"port":"success","assigned":{"last":130},"again":[1]}
13086228616	1	136	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":66,"next":[2]}
13086228617	1	137	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":132},"port":"success","assigned":{"last":132},"again":[1]}
13086228618	1	138	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":67,"next":[2]}
13086228619	1	139	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":134},"port":"success","assigned":{"last":134},"again":[1]}
13086228620	1	140	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":68,"next":[2]}
13086228621	1	141	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":136},"port":"success","assigned":{"last":136},"again":[1]}
13086228622	1	142	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":69,"next":[2]}
13086228623	1	143	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":138},"port":"success","assigned":{"last":138},"again":[1]}
13086228624	1	144	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":70,"next":[2]}
13086228625	1	145	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":140},"port":"success","assigned":{"last":140},"again":[1]}
13086228626	1	146	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":71,"next":[2]}
13086228627	1	147	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":142},"port":"success","assigned":{"last":142},"again":[1]}
13086228628	1	148	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":72,"next":[2]}
13086228629	1	149	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":144},"port":"success","assigned":{"last":144},"again":[1]}
13086228630	1	150	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":73,"next":[2]}
13086228631	1	151	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":146},"port":"success","assigned":{"last":146},"again":[1]}
13086228632	1	152	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":74,"next":[2]}
13086228633	1	153	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":148},"port":"success","assigned":{"last":148},"again":[1]}
13086228634	1	154	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":75,"next":[2]}
13086228635	1	155	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":150},"port":"success","assigned":{"last":150},"again":[1]}
13086228636	1	156	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":76,"next":[2]}
13086228637	1	157	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":152},"port":"success","assigned":{"last":152},"again":[1]}
13086228638	1	158	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":77,"next":[2]}
13086228639	1	159	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":154},"port":"success","assigned":{"last":154},"again":[1]}
13086228640	1	160	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":78,"next":[2]}
13086228641	1	161	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":156},"port":"success","assigned":{"last":156},"again":[1]}
13086228642	1	162	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":79,"next":[2]}
13086228643	1	163	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":158},"port":"success","assigned":{"last":158},"again":[1]}
13086228644	1	164	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":80,"next":[2]}
13086228645	1	165	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":160},"port":"success","assigned":{"last":160},"again":[1]}
13086228647	1	167	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":162},"port":"success","assigned":{"last":162},"again":[1]}
13086228648	1	168	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":82,"next":[2]}
13086228649	1	169	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":164},"port":"success","assigned":{"last":164},"again":[1]}
13086228650	1	170	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":83,"next":[2]}
13086228651	1	171	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":166},"port":"success","assigned":{"last":166},"again":[1]}
13086228652	1	172	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":84,"next":[2]}
13086228653	1	173	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":168},"port":"success","assigned":{"last":168},"again":[1]}
13086228654	1	174	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":85,"next":[2]}
13086228655	1	175	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":170},"port":"success","assigned":{"last":170},"again":[1]}
13086228656	1	176	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":86,"next":[2]}
13086228657	1	177	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":172},"port":"success","assigned":{"last":172},"again":[1]}
13086228658	1	178	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":87,"next":[2]}
13086228659	1	179	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":174},"port":"success","assigned":{"last":174},"again":[1]}
13086228660	1	180	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":88,"next":[2]}
13086228661	1	181	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":176},"port":"success","assigned":{"last":176},"again":[1]}
13086228662	1	182	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":89,"next":[2]}
13086228663	1	183	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":178},"port":"success","assigned":{"last":178},"again":[1]}
13086228664	1	184	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":90,"next":[2]}
13086228665	1	185	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":180},"port":"success","assigned":{"last":180},"again":[1]}
13086228666	1	186	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":91,"next":[2]}
13086228667	1	187	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":182},"port":"success","assigned":{"last":182},"again":[1]}
13086228668	1	188	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":92,"next":[2]}
13086228669	1	189	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":184},"port":"success","assigned":{"last":184},"again":[1]}
13086228670	1	190	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":93,"next":[2]}
13086228671	1	191	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":186},"port":"success","assigned":{"last":186},"again":[1]}
13086228672	1	192	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":94,"next":[2]}
13086228673	1	193	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":188},"port":"success","assigned":{"last":188},"again":[1]}
13086228674	1	194	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":95,"next":[2]}
13086228675	1	195	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":190},"port":"success","assigned":{"last":190},"again":[1]}
13086228676	1	196	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":96,"next":[2]}
13086228677	1	197	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":192},"port":"success","assigned":{"last":192},"again":[1]}
13086228678	1	198	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":97,"next":[2]}
13086228679	1	199	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":194},"port":"success","assigned":{"last":194},"again":[1]}
13086228680	1	200	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":98,"next":[2]}
13086228681	1	201	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":196},"port":"success","assigned":{"last":196},"again":[1]}
13086228682	1	202	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":99,"next":[2]}
13086228683	1	203	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":198},"port":"success","assigned":{"last":198},"again":[1]}
13086228684	1	204	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":100,"next":[2]}
13086228685	1	205	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":200},"port":"success","assigned":{"last":200},"again":[1]}
13086228686	1	206	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":101,"next":[2]}
13086228687	1	207	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":202},"port":"success","assigned":{"last":202},"again":[1]}
13086228688	1	208	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":102,"next":[2]}
13086228689	1	209	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":204},"port":"success","assigned":{"last":204},"again":[1]}
13086228690	1	210	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":103,"next":[2]}
13086228691	1	211	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":206},"port":"success","assigned":{"last":206},"again":[1]}
13086228692	1	212	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":104,"next":[2]}
13086228693	1	213	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":208},"port":"success","assigned":{"last":208},"again":[1]}
13086228694	1	214	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":105,"next":[2]}
13086228695	1	215	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":210},"port":"success","assigned":{"last":210},"again":[1]}
13086228696	1	216	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":106,"next":[2]}
13086228697	1	217	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":212},"port":"success","assigned":{"last":212},"again":[1]}
13086228698	1	218	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":107,"next":[2]}
13086228699	1	219	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":214},"port":"success","assigned":{"last":214},"again":[1]}
13086228700	1	220	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":108,"next":[2]}
13086228701	1	221	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":216},"port":"success","assigned":{"last":216},"again":[1]}
13086228702	1	222	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":109,"next":[2]}
13086228703	1	223	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":218},"port":"success","assigned":{"last":218},"again":[1]}
13086228704	1	224	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":110,"next":[2]}
13086228705	1	225	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":220},"port":"success","assigned":{"last":220},"again":[1]}
13086228706	1	226	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":111,"next":[2]}
13086228707	1	227	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":222},"port":"success","assigned":{"last":222},"again":[1]}
13086228708	1	228	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":112,"next":[2]}
13086228709	1	229	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":224},"port":"success","assigned":{"last":224},"again":[1]}
13086228710	1	230	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":113,"next":[2]}
13086228711	1	231	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":226},"port":"success","assigned":{"last":226},"again":[1]}
13086228712	1	232	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":114,"next":[2]}
13086228713	1	233	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":228},"port":"success","assigned":{"last":228},"again":[1]}
13086228714	1	234	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":115,"next":[2]}
13086228715	1	235	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":230},"port":"success","assigned":{"last":230},"again":[1]}
13086228716	1	236	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":116,"next":[2]}
13086228717	1	237	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":232},"port":"success","assigned":{"last":232},"again":[1]}
13086228718	1	238	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":117,"next":[2]}
13086228719	1	239	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":234},"port":"success","assigned":{"last":234},"again":[1]}
13086228720	1	240	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":118,"next":[2]}
13086228721	1	241	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":236},"port":"success","assigned":{"last":236},"again":[1]}
13086228722	1	242	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":119,"next":[2]}
13086228723	1	243	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":238},"port":"success","assigned":{"last":238},"again":[1]}
13086228724	1	244	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":120,"next":[2]}
13086228725	1	245	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":240},"port":"success","assigned":{"last":240},"again":[1]}
13086228726	1	246	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":121,"next":[2]}
13086228727	1	247	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":242},"port":"success","assigned":{"last":242},"again":[1]}
13086228728	1	248	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":122,"next":[2]}
13086228729	1	249	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":244},"port":"success","assigned":{"last":244},"again":[1]}
13086228730	1	250	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":123,"next":[2]}
13086228731	1	251	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":246},"port":"success","assigned":{"last":246},"again":[1]}
13086228732	1	252	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":124,"next":[2]}
13086228733	1	253	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":248},"port":"success","assigned":{"last":248},"again":[1]}
13086228734	1	254	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":125,"next":[2]}
13086228735	1	255	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":250},"port":"success","assigned":{"last":250},"again":[1]}
13086228736	1	256	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":126,"next":[2]}
13086228737	1	257	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":252},"port":"success","assigned":{"last":252},"again":[1]}
13086228738	1	258	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":127,"next":[2]}
13119782913	1	259	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":254},"port":"success","assigned":{"last":254},"again":[1]}
13119782914	1	260	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":128,"next":[2]}
13119782915	1	261	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":256},"port":"success","assigned":{"last":256},"again":[1]}
13119782916	1	262	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":129,"next":[2]}
13119782917	1	263	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":258},"port":"success","assigned":{"last":258},"again":[1]}
13119782918	1	264	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":130,"next":[2]}
13119782919	1	265	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":260},"port":"success","assigned":{"last":260},"again":[1]}
13119782920	1	266	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":131,"next":[2]}
13119782921	1	267	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":262},"port":"success","assigned":{"last":262},"again":[1]}
13119782922	1	268	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":132,"next":[2]}
13119782923	1	269	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":264},"port":"success","assigned":{"last":264},"again":[1]}
13119782924	1	270	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":133,"next":[2]}
13119782925	1	271	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":266},"port":"success","assigned":{"last":266},"again":[1]}
13119782926	1	272	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":134,"next":[2]}
13119782927	1	273	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":268},"port":"success","assigned":{"last":268},"again":[1]}
13119782928	1	274	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":135,"next":[2]}
13119782929	1	275	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":270},"port":"success","assigned":{"last":270},"again":[1]}
13119782930	1	276	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":136,"next":[2]}
13119782931	1	277	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":272},"port":"success","assigned":{"last":272},"again":[1]}
13119782932	1	278	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":137,"next":[2]}
13119782933	1	279	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":274},"port":"success","assigned":{"last":274},"again":[1]}
13119782934	1	280	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":138,"next":[2]}
13119782935	1	281	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":276},"port":"success","assigned":{"last":276},"again":[1]}
13119782936	1	282	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":139,"next":[2]}
13119782937	1	283	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":278},"port":"success","assigned":{"last":278},"again":[1]}
13119782938	1	284	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":140,"next":[2]}
13119782939	1	285	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":280},"port":"success","assigned":{"last":280},"again":[1]}
13119782940	1	286	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":141,"next":[2]}
13119782941	1	287	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":282},"port":"success","assigned":{"last":282},"again":[1]}
13119782942	1	288	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":142,"next":[2]}
13119782943	1	289	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":284},"port":"success","assigned":{"last":284},"again":[1]}
13119782944	1	290	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":143,"next":[2]}
13119782945	1	291	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":286},"port":"success","assigned":{"last":286},"again":[1]}
13119782946	1	292	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":144,"next":[2]}
13119782947	1	293	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":288},"port":"success","assigned":{"last":288},"again":[1]}
13119782948	1	294	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":145,"next":[2]}
13119782949	1	295	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":290},"port":"success","assigned":{"last":290},"again":[1]}
13119782950	1	296	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":146,"next":[2]}
13119782951	1	297	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":292},"port":"success","assigned":{"last":292},"again":[1]}
13119782952	1	298	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":147,"next":[2]}
13119782953	1	299	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":294},"port":"success","assigned":{"last":294},"again":[1]}
13119782954	1	300	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":148,"next":[2]}
13119782955	1	301	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":296},"port":"success","assigned":{"last":296},"again":[1]}
13119782956	1	302	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":149,"next":[2]}
13119782957	1	303	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":298},"port":"success","assigned":{"last":298},"again":[1]}
13119782958	1	304	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":150,"next":[2]}
13119782959	1	305	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":300},"port":"success","assigned":{"last":300},"again":[1]}
13119782960	1	306	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":151,"next":[2]}
13119782961	1	307	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":302},"port":"success","assigned":{"last":302},"again":[1]}
13119782962	1	308	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":152,"next":[2]}
13119782963	1	309	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":304},"port":"success","assigned":{"last":304},"again":[1]}
13119782964	1	310	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":153,"next":[2]}
13119782965	1	311	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":306},"port":"success","assigned":{"last":306},"again":[1]}
13119782966	1	312	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":154,"next":[2]}
13119782967	1	313	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":308},"port":"success","assigned":{"last":308},"again":[1]}
13119782968	1	314	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":155,"next":[2]}
13119782969	1	315	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":310},"port":"success","assigned":{"last":310},"again":[1]}
13119782970	1	316	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":156,"next":[2]}
13119782971	1	317	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":312},"port":"success","assigned":{"last":312},"again":[1]}
13119782972	1	318	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":157,"next":[2]}
13119782973	1	319	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":314},"port":"success","assigned":{"last":314},"again":[1]}
13119782974	1	320	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":158,"next":[2]}
13119782975	1	321	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":316},"port":"success","assigned":{"last":316},"again":[1]}
13119782976	1	322	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":159,"next":[2]}
13119782977	1	323	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":318},"port":"success","assigned":{"last":318},"again":[1]}
13119782978	1	324	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":160,"next":[2]}
13119782979	1	325	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":320},"port":"success","assigned":{"last":320},"again":[1]}
13119782980	1	326	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":161,"next":[2]}
13119782981	1	327	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":322},"port":"success","assigned":{"last":322},"again":[1]}
13119782982	1	328	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":162,"next":[2]}
13119782983	1	329	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":324},"port":"success","assigned":{"last":324},"again":[1]}
13119782984	1	330	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":163,"next":[2]}
13119782985	1	331	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":326},"port":"success","assigned":{"last":326},"again":[1]}
13119782986	1	332	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":164,"next":[2]}
13119782987	1	333	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":328},"port":"success","assigned":{"last":328},"again":[1]}
13119782988	1	334	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":165,"next":[2]}
13119782989	1	335	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":330},"port":"success","assigned":{"last":330},"again":[1]}
13119782990	1	336	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":166,"next":[2]}
13119782991	1	337	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":332},"port":"success","assigned":{"last":332},"again":[1]}
13119782992	1	338	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":167,"next":[2]}
13119782993	1	339	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":334},"port":"success","assigned":{"last":334},"again":[1]}
13119782994	1	340	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":168,"next":[2]}
13119782995	1	341	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":336},"port":"success","assigned":{"last":336},"again":[1]}
13119782996	1	342	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":169,"next":[2]}
13119782997	1	343	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":338},"port":"success","assigned":{"last":338},"again":[1]}
13119782998	1	344	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":170,"next":[2]}
13119782999	1	345	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":340},"port":"success","assigned":{"last":340},"again":[1]}
13119783000	1	346	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":171,"next":[2]}
13119783001	1	347	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":342},"port":"success","assigned":{"last":342},"again":[1]}
13119783002	1	348	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":172,"next":[2]}
13119783003	1	349	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":344},"port":"success","assigned":{"last":344},"again":[1]}
13119783004	1	350	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":173,"next":[2]}
13119783005	1	351	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":346},"port":"success","assigned":{"last":346},"again":[1]}
13119783006	1	352	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":174,"next":[2]}
13119783007	1	353	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":348},"port":"success","assigned":{"last":348},"again":[1]}
13119783008	1	354	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":175,"next":[2]}
13119783009	1	355	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":350},"port":"success","assigned":{"last":350},"again":[1]}
13119783010	1	356	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":176,"next":[2]}
13119783011	1	357	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":352},"port":"success","assigned":{"last":352},"again":[1]}
13119783012	1	358	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":177,"next":[2]}
13119783013	1	359	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":354},"port":"success","assigned":{"last":354},"again":[1]}
13119783014	1	360	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":178,"next":[2]}
13119783015	1	361	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":356},"port":"success","assigned":{"last":356},"again":[1]}
13119783016	1	362	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":179,"next":[2]}
13119783017	1	363	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":358},"port":"success","assigned":{"last":358},"again":[1]}
13119783018	1	364	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":180,"next":[2]}
13119783019	1	365	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":360},"port":"success","assigned":{"last":360},"again":[1]}
13119783020	1	366	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":181,"next":[2]}
13119783021	1	367	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":362},"port":"success","assigned":{"last":362},"again":[1]}
13119783022	1	368	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":182,"next":[2]}
13119783023	1	369	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":364},"port":"success","assigned":{"last":364},"again":[1]}
13119783024	1	370	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":183,"next":[2]}
13119783025	1	371	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":366},"port":"success","assigned":{"last":366},"again":[1]}
13119783026	1	372	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":184,"next":[2]}
13119783027	1	373	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":368},"port":"success","assigned":{"last":368},"again":[1]}
13119783028	1	374	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":185,"next":[2]}
13119783029	1	375	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":370},"port":"success","assigned":{"last":370},"again":[1]}
13119783030	1	376	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":186,"next":[2]}
13119783031	1	377	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":372},"port":"success","assigned":{"last":372},"again":[1]}
13119783032	1	378	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":187,"next":[2]}
13119783033	1	379	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":374},"port":"success","assigned":{"last":374},"again":[1]}
13119783034	1	380	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":188,"next":[2]}
13119783035	1	381	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":376},"port":"success","assigned":{"last":376},"again":[1]}
13119783036	1	382	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":189,"next":[2]}
13119783037	1	383	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":378},"port":"success","assigned":{"last":378},"again":[1]}
13119783038	1	384	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":190,"next":[2]}
13119783039	1	385	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":380},"port":"success","assigned":{"last":380},"again":[1]}
13119783040	1	386	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":191,"next":[2]}
13119783041	1	387	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":382},"port":"success","assigned":{"last":382},"again":[1]}
13119783042	1	388	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":192,"next":[2]}
13119783043	1	389	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":384},"port":"success","assigned":{"last":384},"again":[1]}
13119783044	1	390	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":193,"next":[2]}
13119783045	1	391	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":386},"port":"success","assigned":{"last":386},"again":[1]}
13119783046	1	392	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":194,"next":[2]}
13119783047	1	393	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":388},"port":"success","assigned":{"last":388},"again":[1]}
13119783048	1	394	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":195,"next":[2]}
13119783049	1	395	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":390},"port":"success","assigned":{"last":390},"again":[1]}
13119783050	1	396	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":196,"next":[2]}
13119783051	1	397	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":392},"port":"success","assigned":{"last":392},"again":[1]}
13119783052	1	398	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":197,"next":[2]}
13119783053	1	399	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":394},"port":"success","assigned":{"last":394},"again":[1]}
13119783054	1	400	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":198,"next":[2]}
13119783055	1	401	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":396},"port":"success","assigned":{"last":396},"again":[1]}
13119783056	1	402	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":199,"next":[2]}
13119783057	1	403	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":398},"port":"success","assigned":{"last":398},"again":[1]}
13119783058	1	404	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":200,"next":[2]}
13119783059	1	405	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":400},"port":"success","assigned":{"last":400},"again":[1]}
13119783060	1	406	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":201,"next":[2]}
13119783061	1	407	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":402},"port":"success","assigned":{"last":402},"again":[1]}
13119783062	1	408	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":202,"next":[2]}
13119783063	1	409	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":404},"port":"success","assigned":{"last":404},"again":[1]}
13119783064	1	410	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":203,"next":[2]}
13119783065	1	411	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":406},"port":"success","assigned":{"last":406},"again":[1]}
13119783066	1	412	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":204,"next":[2]}
13119783067	1	413	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":408},"port":"success","assigned":{"last":408},"again":[1]}
13119783068	1	414	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":205,"next":[2]}
13119783069	1	415	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":410},"port":"success","assigned":{"last":410},"again":[1]}
13119783070	1	416	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":206,"next":[2]}
13119783071	1	417	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":412},"port":"success","assigned":{"last":412},"again":[1]}
13119783072	1	418	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":207,"next":[2]}
13119783073	1	419	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":414},"port":"success","assigned":{"last":414},"again":[1]}
13119783074	1	420	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":208,"next":[2]}
13119783075	1	421	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":416},"port":"success","assigned":{"last":416},"again":[1]}
13119783076	1	422	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":209,"next":[2]}
13119783077	1	423	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":418},"port":"success","assigned":{"last":418},"again":[1]}
13119783078	1	424	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":210,"next":[2]}
13119783079	1	425	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":420},"port":"success","assigned":{"last":420},"again":[1]}
13119783080	1	426	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":211,"next":[2]}
13119783081	1	427	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":422},"port":"success","assigned":{"last":422},"again":[1]}
13119783082	1	428	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":212,"next":[2]}
13119783083	1	429	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":424},"port":"success","assigned":{"last":424},"again":[1]}
13119783084	1	430	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":213,"next":[2]}
13119783085	1	431	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":426},"port":"success","assigned":{"last":426},"again":[1]}
13119783086	1	432	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":214,"next":[2]}
13119783087	1	433	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":428},"port":"success","assigned":{"last":428},"again":[1]}
13119783088	1	434	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":215,"next":[2]}
13119783089	1	435	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":430},"port":"success","assigned":{"last":430},"again":[1]}
13119783090	1	436	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":216,"next":[2]}
13119783091	1	437	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":432},"port":"success","assigned":{"last":432},"again":[1]}
13119783092	1	438	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":217,"next":[2]}
13119783093	1	439	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":434},"port":"success","assigned":{"last":434},"again":[1]}
13119783094	1	440	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":218,"next":[2]}
13119783095	1	441	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":436},"port":"success","assigned":{"last":436},"again":[1]}
13119783096	1	442	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":219,"next":[2]}
13119783097	1	443	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":438},"port":"success","assigned":{"last":438},"again":[1]}
13119783098	1	444	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":220,"next":[2]}
13119783099	1	445	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":440},"port":"success","assigned":{"last":440},"again":[1]}
13119783100	1	446	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":221,"next":[2]}
13119783101	1	447	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":442},"port":"success","assigned":{"last":442},"again":[1]}
13119783102	1	448	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":222,"next":[2]}
13119783103	1	449	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":444},"port":"success","assigned":{"last":444},"again":[1]}
13119783104	1	450	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":223,"next":[2]}
13119783105	1	451	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":446},"port":"success","assigned":{"last":446},"again":[1]}
13119783106	1	452	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":224,"next":[2]}
13119783107	1	453	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":448},"port":"success","assigned":{"last":448},"again":[1]}
13119783108	1	454	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":225,"next":[2]}
13119783109	1	455	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":450},"port":"success","assigned":{"last":450},"again":[1]}
13119783110	1	456	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":226,"next":[2]}
13119783111	1	457	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":452},"port":"success","assigned":{"last":452},"again":[1]}
13119783112	1	458	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":227,"next":[2]}
13119783113	1	459	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":454},"port":"success","assigned":{"last":454},"again":[1]}
13119783114	1	460	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":228,"next":[2]}
13119783115	1	461	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":456},"port":"success","assigned":{"last":456},"again":[1]}
13119783116	1	462	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":229,"next":[2]}
13119783117	1	463	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":458},"port":"success","assigned":{"last":458},"again":[1]}
13119783118	1	464	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":230,"next":[2]}
13119783119	1	465	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":460},"port":"success","assigned":{"last":460},"again":[1]}
13119783120	1	466	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":231,"next":[2]}
13119783121	1	467	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":462},"port":"success","assigned":{"last":462},"again":[1]}
13119783122	1	468	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":232,"next":[2]}
13119783123	1	469	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":464},"port":"success","assigned":{"last":464},"again":[1]}
13119783124	1	470	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":233,"next":[2]}
13119783125	1	471	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":466},"port":"success","assigned":{"last":466},"again":[1]}
13119783126	1	472	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":234,"next":[2]}
13119783127	1	473	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":468},"port":"success","assigned":{"last":468},"again":[1]}
13119783128	1	474	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":235,"next":[2]}
13119783129	1	475	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":470},"port":"success","assigned":{"last":470},"again":[1]}
13119783130	1	476	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":236,"next":[2]}
13119783131	1	477	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":472},"port":"success","assigned":{"last":472},"again":[1]}
13119783132	1	478	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":237,"next":[2]}
13119783133	1	479	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":474},"port":"success","assigned":{"last":474},"again":[1]}
13119783134	1	480	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":238,"next":[2]}
13119783135	1	481	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":476},"port":"success","assigned":{"last":476},"again":[1]}
13119783136	1	482	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":239,"next":[2]}
13119783137	1	483	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":478},"port":"success","assigned":{"last":478},"again":[1]}
13119783138	1	484	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":240,"next":[2]}
13119783139	1	485	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":480},"port":"success","assigned":{"last":480},"again":[1]}
13119783140	1	486	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":241,"next":[2]}
13119783141	1	487	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":482},"port":"success","assigned":{"last":482},"again":[1]}
13119783142	1	488	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":242,"next":[2]}
13119783143	1	489	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":484},"port":"success","assigned":{"last":484},"again":[1]}
13119783144	1	490	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":243,"next":[2]}
13119783145	1	491	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":486},"port":"success","assigned":{"last":486},"again":[1]}
13119783146	1	492	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":244,"next":[2]}
13119783147	1	493	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":488},"port":"success","assigned":{"last":488},"again":[1]}
13119783148	1	494	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":245,"next":[2]}
13119783149	1	495	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":490},"port":"success","assigned":{"last":490},"again":[1]}
13119783150	1	496	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":246,"next":[2]}
13119783151	1	497	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":492},"port":"success","assigned":{"last":492},"again":[1]}
13119783152	1	498	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":247,"next":[2]}
13119783153	1	499	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":494},"port":"success","assigned":{"last":494},"again":[1]}
13119783154	1	500	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":248,"next":[2]}
13119783155	1	501	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":496},"port":"success","assigned":{"last":496},"again":[1]}
13119783156	1	502	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":249,"next":[2]}
13119783157	1	503	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":498},"port":"success","assigned":{"last":498},"again":[1]}
13119783158	1	504	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":250,"next":[2]}
13119783159	1	505	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":500},"port":"success","assigned":{"last":500},"again":[1]}
13119783160	1	506	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":251,"next":[2]}
13119783161	1	507	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":502},"port":"success","assigned":{"last":502},"again":[1]}
13119783162	1	508	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":252,"next":[2]}
13119783163	1	509	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":504},"port":"success","assigned":{"last":504},"again":[1]}
13119783164	1	510	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":253,"next":[2]}
13119783165	1	511	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":506},"port":"success","assigned":{"last":506},"again":[1]}
13119783166	1	512	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":254,"next":[2]}
13119783167	1	513	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":508},"port":"success","assigned":{"last":508},"again":[1]}
13119783168	1	514	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":255,"next":[2]}
13136560129	1	515	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":510},"port":"success","assigned":{"last":510},"again":[1]}
13136560130	1	516	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":256,"next":[2]}
13136560131	1	517	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":512},"port":"success","assigned":{"last":512},"again":[1]}
13136560132	1	518	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":257,"next":[2]}
13136560133	1	519	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":514},"port":"success","assigned":{"last":514},"again":[1]}
13136560134	1	520	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":258,"next":[2]}
13136560135	1	521	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":516},"port":"success","assigned":{"last":516},"again":[1]}
13136560136	1	522	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":259,"next":[2]}
13136560137	1	523	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":518},"port":"success","assigned":{"last":518},"again":[1]}
13136560138	1	524	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":260,"next":[2]}
13136560139	1	525	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":520},"port":"success","assigned":{"last":520},"again":[1]}
13136560140	1	526	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":261,"next":[2]}
13136560141	1	527	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":522},"port":"success","assigned":{"last":522},"again":[1]}
13136560142	1	528	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":262,"next":[2]}
13136560143	1	529	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":524},"port":"success","assigned":{"last":524},"again":[1]}
13136560144	1	530	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":263,"next":[2]}
13136560145	1	531	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":526},"port":"success","assigned":{"last":526},"again":[1]}
13136560146	1	532	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":264,"next":[2]}
13136560147	1	533	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":528},"port":"success","assigned":{"last":528},"again":[1]}
13136560148	1	534	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":265,"next":[2]}
13136560149	1	535	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":530},"port":"success","assigned":{"last":530},"again":[1]}
13136560150	1	536	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":266,"next":[2]}
13136560151	1	537	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":532},"port":"success","assigned":{"last":532},"again":[1]}
13136560152	1	538	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":267,"next":[2]}
13136560153	1	539	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":534},"port":"success","assigned":{"last":534},"again":[1]}
13136560154	1	540	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":268,"next":[2]}
13136560155	1	541	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":536},"port":"success","assigned":{"last":536},"again":[1]}
13136560156	1	542	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":269,"next":[2]}
13136560157	1	543	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":538},"port":"success","assigned":{"last":538},"again":[1]}
13136560158	1	544	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":270,"next":[2]}
13136560159	1	545	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":540},"port":"success","assigned":{"last":540},"again":[1]}
13136560160	1	546	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":271,"next":[2]}
13136560161	1	547	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":542},"port":"success","assigned":{"last":542},"again":[1]}
13136560162	1	548	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":272,"next":[2]}
13136560163	1	549	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":544},"port":"success","assigned":{"last":544},"again":[1]}
13136560164	1	550	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":273,"next":[2]}
13136560165	1	551	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":546},"port":"success","assigned":{"last":546},"again":[1]}
13136560166	1	552	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":274,"next":[2]}
13136560167	1	553	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":548},"port":"success","assigned":{"last":548},"again":[1]}
13136560168	1	554	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":275,"next":[2]}
13136560169	1	555	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":550},"port":"success","assigned":{"last":550},"again":[1]}
13136560170	1	556	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":276,"next":[2]}
13136560171	1	557	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":552},"port":"success","assigned":{"last":552},"again":[1]}
13136560172	1	558	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":277,"next":[2]}
13136560173	1	559	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":554},"port":"success","assigned":{"last":554},"again":[1]}
13136560174	1	560	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":278,"next":[2]}
13136560175	1	561	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":556},"port":"success","assigned":{"last":556},"again":[1]}
13136560176	1	562	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":279,"next":[2]}
13136560177	1	563	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":558},"port":"success","assigned":{"last":558},"again":[1]}
13136560178	1	564	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":280,"next":[2]}
13136560179	1	565	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":560},"port":"success","assigned":{"last":560},"again":[1]}
13136560180	1	566	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":281,"next":[2]}
13136560181	1	567	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":562},"port":"success","assigned":{"last":562},"again":[1]}
13136560182	1	568	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":282,"next":[2]}
13136560183	1	569	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":564},"port":"success","assigned":{"last":564},"again":[1]}
13136560184	1	570	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":283,"next":[2]}
13136560185	1	571	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":566},"port":"success","assigned":{"last":566},"again":[1]}
13136560186	1	572	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":284,"next":[2]}
13136560187	1	573	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":568},"port":"success","assigned":{"last":568},"again":[1]}
13136560188	1	574	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":285,"next":[2]}
13136560189	1	575	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":570},"port":"success","assigned":{"last":570},"again":[1]}
13136560190	1	576	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":286,"next":[2]}
13136560191	1	577	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":572},"port":"success","assigned":{"last":572},"again":[1]}
13136560192	1	578	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":287,"next":[2]}
13136560193	1	579	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":574},"port":"success","assigned":{"last":574},"again":[1]}
13136560194	1	580	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":288,"next":[2]}
13136560195	1	581	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":576},"port":"success","assigned":{"last":576},"again":[1]}
13136560196	1	582	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":289,"next":[2]}
13136560197	1	583	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":578},"port":"success","assigned":{"last":578},"again":[1]}
13136560198	1	584	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":290,"next":[2]}
13136560199	1	585	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":580},"port":"success","assigned":{"last":580},"again":[1]}
13136560200	1	586	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":291,"next":[2]}
13136560201	1	587	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":582},"port":"success","assigned":{"last":582},"again":[1]}
13136560202	1	588	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":292,"next":[2]}
13136560203	1	589	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":584},"port":"success","assigned":{"last":584},"again":[1]}
13136560204	1	590	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":293,"next":[2]}
13136560205	1	591	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":586},"port":"success","assigned":{"last":586},"again":[1]}
13136560206	1	592	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":294,"next":[2]}
13136560207	1	593	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":588},"port":"success","assigned":{"last":588},"again":[1]}
13136560208	1	594	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":295,"next":[2]}
13136560209	1	595	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":590},"port":"success","assigned":{"last":590},"again":[1]}
13136560210	1	596	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":296,"next":[2]}
13136560211	1	597	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":592},"port":"success","assigned":{"last":592},"again":[1]}
13136560212	1	598	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":297,"next":[2]}
13136560213	1	599	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":594},"port":"success","assigned":{"last":594},"again":[1]}
13136560214	1	600	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":298,"next":[2]}
13136560215	1	601	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":596},"port":"success","assigned":{"last":596},"again":[1]}
13136560216	1	602	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":299,"next":[2]}
13136560217	1	603	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":598},"port":"success","assigned":{"last":598},"again":[1]}
13136560218	1	604	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":300,"next":[2]}
13136560219	1	605	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":600},"port":"success","assigned":{"last":600},"again":[1]}
13136560220	1	606	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":301,"next":[2]}
13136560221	1	607	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":602},"port":"success","assigned":{"last":602},"again":[1]}
13136560222	1	608	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":302,"next":[2]}
13136560223	1	609	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":604},"port":"success","assigned":{"last":604},"again":[1]}
13136560224	1	610	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":303,"next":[2]}
13136560225	1	611	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":606},"port":"success","assigned":{"last":606},"again":[1]}
13136560226	1	612	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":304,"next":[2]}
13136560227	1	613	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":608},"port":"success","assigned":{"last":608},"again":[1]}
13136560228	1	614	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":305,"next":[2]}
13136560229	1	615	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":610},"port":"success","assigned":{"last":610},"again":[1]}
13136560230	1	616	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":306,"next":[2]}
13136560231	1	617	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":612},"port":"success","assigned":{"last":612},"again":[1]}
13136560232	1	618	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":307,"next":[2]}
13136560233	1	619	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":614},"port":"success","assigned":{"last":614},"again":[1]}
13136560234	1	620	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":308,"next":[2]}
13136560235	1	621	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":616},"port":"success","assigned":{"last":616},"again":[1]}
13136560236	1	622	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":309,"next":[2]}
13136560237	1	623	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":618},"port":"success","assigned":{"last":618},"again":[1]}
13136560238	1	624	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":310,"next":[2]}
13136560239	1	625	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":620},"port":"success","assigned":{"last":620},"again":[1]}
13136560240	1	626	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":311,"next":[2]}
13136560241	1	627	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":622},"port":"success","assigned":{"last":622},"again":[1]}
13136560242	1	628	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":312,"next":[2]}
13136560243	1	629	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":624},"port":"success","assigned":{"last":624},"again":[1]}
13136560244	1	630	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":313,"next":[2]}
13136560245	1	631	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":626},"port":"success","assigned":{"last":626},"again":[1]}
13136560246	1	632	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":314,"next":[2]}
13136560247	1	633	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":628},"port":"success","assigned":{"last":628},"again":[1]}
13136560248	1	634	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":315,"next":[2]}
13136560249	1	635	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":630},"port":"success","assigned":{"last":630},"again":[1]}
13136560250	1	636	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":316,"next":[2]}
13136560251	1	637	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":632},"port":"success","assigned":{"last":632},"again":[1]}
13136560252	1	638	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":317,"next":[2]}
13136560253	1	639	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":634},"port":"success","assigned":{"last":634},"again":[1]}
13136560254	1	640	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":318,"next":[2]}
13136560255	1	641	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":636},"port":"success","assigned":{"last":636},"again":[1]}
13136560256	1	642	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":319,"next":[2]}
13136560257	1	643	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":638},"port":"success","assigned":{"last":638},"again":[1]}
13136560258	1	644	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":320,"next":[2]}
13136560259	1	645	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":640},"port":"success","assigned":{"last":640},"again":[1]}
13136560260	1	646	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":321,"next":[2]}
13136560261	1	647	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":642},"port":"success","assigned":{"last":642},"again":[1]}
13136560262	1	648	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":322,"next":[2]}
13136560263	1	649	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":644},"port":"success","assigned":{"last":644},"again":[1]}
13136560264	1	650	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":323,"next":[2]}
13136560265	1	651	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":646},"port":"success","assigned":{"last":646},"again":[1]}
13136560266	1	652	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":324,"next":[2]}
13136560267	1	653	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":648},"port":"success","assigned":{"last":648},"again":[1]}
13136560268	1	654	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":325,"next":[2]}
13136560269	1	655	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":650},"port":"success","assigned":{"last":650},"again":[1]}
13136560270	1	656	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":326,"next":[2]}
13136560271	1	657	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":652},"port":"success","assigned":{"last":652},"again":[1]}
13136560272	1	658	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":327,"next":[2]}
13136560273	1	659	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":654},"port":"success","assigned":{"last":654},"again":[1]}
13136560274	1	660	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":328,"next":[2]}
13136560275	1	661	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":656},"port":"success","assigned":{"last":656},"again":[1]}
13136560276	1	662	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":329,"next":[2]}
13136560277	1	663	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":658},"port":"success","assigned":{"last":658},"again":[1]}
13136560278	1	664	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":330,"next":[2]}
13136560279	1	665	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":660},"port":"success","assigned":{"last":660},"again":[1]}
13136560280	1	666	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":331,"next":[2]}
13136560281	1	667	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":662},"port":"success","assigned":{"last":662},"again":[1]}
13136560282	1	668	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":332,"next":[2]}
13136560283	1	669	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":664},"port":"success","assigned":{"last":664},"again":[1]}
13136560284	1	670	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":333,"next":[2]}
13136560285	1	671	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":666},"port":"success","assigned":{"last":666},"again":[1]}
13136560286	1	672	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":334,"next":[2]}
13136560287	1	673	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":668},"port":"success","assigned":{"last":668},"again":[1]}
13136560288	1	674	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":335,"next":[2]}
13136560289	1	675	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":670},"port":"success","assigned":{"last":670},"again":[1]}
13136560290	1	676	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":336,"next":[2]}
13136560291	1	677	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":672},"port":"success","assigned":{"last":672},"again":[1]}
13136560292	1	678	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":337,"next":[2]}
13136560293	1	679	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":674},"port":"success","assigned":{"last":674},"again":[1]}
13136560294	1	680	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":338,"next":[2]}
13136560295	1	681	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":676},"port":"success","assigned":{"last":676},"again":[1]}
13136560296	1	682	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":339,"next":[2]}
13136560297	1	683	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":678},"port":"success","assigned":{"last":678},"again":[1]}
13136560298	1	684	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":340,"next":[2]}
13136560299	1	685	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":680},"port":"success","assigned":{"last":680},"again":[1]}
13136560300	1	686	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":341,"next":[2]}
13136560301	1	687	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":682},"port":"success","assigned":{"last":682},"again":[1]}
13136560302	1	688	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":342,"next":[2]}
13136560303	1	689	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":684},"port":"success","assigned":{"last":684},"again":[1]}
13136560304	1	690	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":343,"next":[2]}
13136560305	1	691	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":686},"port":"success","assigned":{"last":686},"again":[1]}
13136560306	1	692	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":344,"next":[2]}
13136560307	1	693	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":688},"port":"success","assigned":{"last":688},"again":[1]}
13136560308	1	694	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":345,"next":[2]}
13136560309	1	695	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":690},"port":"success","assigned":{"last":690},"again":[1]}
13136560310	1	696	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":346,"next":[2]}
13136560311	1	697	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":692},"port":"success","assigned":{"last":692},"again":[1]}
13136560312	1	698	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":347,"next":[2]}
13136560313	1	699	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":694},"port":"success","assigned":{"last":694},"again":[1]}
13136560314	1	700	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":348,"next":[2]}
13136560315	1	701	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":696},"port":"success","assigned":{"last":696},"again":[1]}
13136560316	1	702	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":349,"next":[2]}
13136560317	1	703	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":698},"port":"success","assigned":{"last":698},"again":[1]}
13136560318	1	704	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":350,"next":[2]}
13136560319	1	705	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":700},"port":"success","assigned":{"last":700},"again":[1]}
13136560320	1	706	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":351,"next":[2]}
13136560321	1	707	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":702},"port":"success","assigned":{"last":702},"again":[1]}
13136560322	1	708	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":352,"next":[2]}
13136560323	1	709	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":704},"port":"success","assigned":{"last":704},"again":[1]}
13136560324	1	710	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":353,"next":[2]}
13136560325	1	711	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":706},"port":"success","assigned":{"last":706},"again":[1]}
13136560326	1	712	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":354,"next":[2]}
13136560327	1	713	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":708},"port":"success","assigned":{"last":708},"again":[1]}
13136560328	1	714	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":355,"next":[2]}
13136560329	1	715	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":710},"port":"success","assigned":{"last":710},"again":[1]}
13136560330	1	716	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":356,"next":[2]}
13136560331	1	717	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":712},"port":"success","assigned":{"last":712},"again":[1]}
13136560332	1	718	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":357,"next":[2]}
13136560333	1	719	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":714},"port":"success","assigned":{"last":714},"again":[1]}
13136560334	1	720	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":358,"next":[2]}
13136560335	1	721	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":716},"port":"success","assigned":{"last":716},"again":[1]}
13136560336	1	722	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":359,"next":[2]}
13136560337	1	723	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":718},"port":"success","assigned":{"last":718},"again":[1]}
13136560338	1	724	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":360,"next":[2]}
13136560339	1	725	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":720},"port":"success","assigned":{"last":720},"again":[1]}
13136560340	1	726	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":361,"next":[2]}
13136560341	1	727	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":722},"port":"success","assigned":{"last":722},"again":[1]}
13136560342	1	728	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":362,"next":[2]}
13136560343	1	729	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":724},"port":"success","assigned":{"last":724},"again":[1]}
13136560344	1	730	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":363,"next":[2]}
13136560345	1	731	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":726},"port":"success","assigned":{"last":726},"again":[1]}
13136560346	1	732	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":364,"next":[2]}
13136560347	1	733	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":728},"port":"success","assigned":{"last":728},"again":[1]}
13136560348	1	734	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":365,"next":[2]}
13136560349	1	735	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":730},"port":"success","assigned":{"last":730},"again":[1]}
13136560350	1	736	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":366,"next":[2]}
13136560351	1	737	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":732},"port":"success","assigned":{"last":732},"again":[1]}
13136560352	1	738	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":367,"next":[2]}
13136560353	1	739	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":734},"port":"success","assigned":{"last":734},"again":[1]}
13136560354	1	740	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":368,"next":[2]}
13136560355	1	741	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":736},"port":"success","assigned":{"last":736},"again":[1]}
13136560356	1	742	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":369,"next":[2]}
13136560357	1	743	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":738},"port":"success","assigned":{"last":738},"again":[1]}
13136560358	1	744	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":370,"next":[2]}
13136560359	1	745	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":740},"port":"success","assigned":{"last":740},"again":[1]}
13136560360	1	746	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":371,"next":[2]}
13136560361	1	747	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":742},"port":"success","assigned":{"last":742},"again":[1]}
13136560362	1	748	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":372,"next":[2]}
13136560363	1	749	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":744},"port":"success","assigned":{"last":744},"again":[1]}
13136560364	1	750	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":373,"next":[2]}
13136560365	1	751	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":746},"port":"success","assigned":{"last":746},"again":[1]}
13136560366	1	752	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":374,"next":[2]}
13136560367	1	753	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":748},"port":"success","assigned":{"last":748},"again":[1]}
13136560368	1	754	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":375,"next":[2]}
13136560369	1	755	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":750},"port":"success","assigned":{"last":750},"again":[1]}
13136560370	1	756	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":376,"next":[2]}
13136560371	1	757	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":752},"port":"success","assigned":{"last":752},"again":[1]}
13136560372	1	758	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":377,"next":[2]}
13136560373	1	759	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":754},"port":"success","assigned":{"last":754},"again":[1]}
13136560374	1	760	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":378,"next":[2]}
13136560375	1	761	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":756},"port":"success","assigned":{"last":756},"again":[1]}
13136560376	1	762	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":379,"next":[2]}
13136560377	1	763	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":758},"port":"success","assigned":{"last":758},"again":[1]}
13136560378	1	764	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":380,"next":[2]}
13136560379	1	765	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":760},"port":"success","assigned":{"last":760},"again":[1]}
13136560380	1	766	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":381,"next":[2]}
13136560381	1	767	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":762},"port":"success","assigned":{"last":762},"again":[1]}
13136560382	1	768	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":382,"next":[2]}
13136560383	1	769	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":764},"port":"success","assigned":{"last":764},"again":[1]}
13136560384	1	770	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":383,"next":[2]}
13153337345	1	771	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":766},"port":"success","assigned":{"last":766},"again":[1]}
13153337346	1	772	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":384,"next":[2]}
13153337347	1	773	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":768},"port":"success","assigned":{"last":768},"again":[1]}
13153337348	1	774	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":385,"next":[2]}
13153337349	1	775	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":770},"port":"success","assigned":{"last":770},"again":[1]}
13153337350	1	776	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":386,"next":[2]}
13153337351	1	777	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":772},"port":"success","assigned":{"last":772},"again":[1]}
13153337352	1	778	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":387,"next":[2]}
13153337353	1	779	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":774},"port":"success","assigned":{"last":774},"again":[1]}
13153337354	1	780	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":388,"next":[2]}
13153337355	1	781	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":776},"port":"success","assigned":{"last":776},"again":[1]}
13153337356	1	782	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":389,"next":[2]}
13153337357	1	783	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":778},"port":"success","assigned":{"last":778},"again":[1]}
13153337358	1	784	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":390,"next":[2]}
13153337359	1	785	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":780},"port":"success","assigned":{"last":780},"again":[1]}
13153337360	1	786	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":391,"next":[2]}
13153337361	1	787	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":782},"port":"success","assigned":{"last":782},"again":[1]}
13153337362	1	788	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":392,"next":[2]}
13153337363	1	789	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":784},"port":"success","assigned":{"last":784},"again":[1]}
13153337364	1	790	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":393,"next":[2]}
13153337365	1	791	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":786},"port":"success","assigned":{"last":786},"again":[1]}
13153337366	1	792	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":394,"next":[2]}
13153337367	1	793	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":788},"port":"success","assigned":{"last":788},"again":[1]}
13153337368	1	794	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":395,"next":[2]}
13153337369	1	795	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":790},"port":"success","assigned":{"last":790},"again":[1]}
13153337370	1	796	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":396,"next":[2]}
13153337371	1	797	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":792},"port":"success","assigned":{"last":792},"again":[1]}
13153337372	1	798	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":397,"next":[2]}
13153337373	1	799	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":794},"port":"success","assigned":{"last":794},"again":[1]}
13153337374	1	800	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":398,"next":[2]}
13153337375	1	801	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":796},"port":"success","assigned":{"last":796},"again":[1]}
13153337376	1	802	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795038055431,"step":1,"scope":3,"start":399,"next":[2]}
13153337377	1	803	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":2,"output":{"last":798},"port":"success","assigned":{"last":798},"again":[1]}
13153337378	1	804	step.completed	\N	0	{"kind":"step.completed","at":1795038055431,"step":1,"output":{"state":{"currentIndex":400,"totalItems":400,"iterations":400,"batchesProcessed":400,"isComplete":true},"batch":null},"port":"done","next":[3],"scope":3}
13153337379	1	805	approval.opened	\N	0	{"kind":"approval.opened","at":1795038055431,"step":3,"request":{"last":798},"asked":{"role":"finance","fixed":true}}
\.


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.idempotency (organization, key, execution) FROM stdin;
\.


--
-- Data for Name: inbox; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.inbox (pos, eid, data) FROM stdin;
\.


--
-- Data for Name: key_uses; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.key_uses (organization, id, at) FROM stdin;
\.


--
-- Data for Name: leavings; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.leavings (eid) FROM stdin;
\.


--
-- Data for Name: models; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.models (digest, data, dialect) FROM stdin;
9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316	\\x7b226e616d65223a226c6f6e67222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b2265616368225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b2265616368225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a2265616368222c22776f726b223a7b226b696e64223a226c6f6f70222c226974656d73223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6974656d73227d2c22697465726174696f6e735f6d6178223a313030307d2c22726f75746573223a5b7b22746f223a5b226b656570225d2c22706f7274223a226c6f6f70227d2c7b22746f223a5b2261736b225d2c22706f7274223a22646f6e65227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a226b656570222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b226c617374222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22286c6f63616c2e6974656d20213d3d20756e646566696e6564203f206c6f63616c2e6974656d203a20285b2765616368275d2e696e636c75646573286c6f6f702e6f776e657229202626206c6f6f702e626174636820213d206e756c6c203f20286c6f6f702e6974656d203d3d3d20756e646566696e6564203f206c6f6f702e62617463682e6974656d73203a206c6f6f702e6974656d29203a206e616d65732e6974656d2929202a2032227d5d5d7d2c22726f75746573223a5b7b22746f223a5b2265616368225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b2265616368225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d2c7b226964223a2261736b222c22776f726b223a7b226b696e64223a22617070726f76616c222c2272657175657374223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226c617374227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e616d65732e6c617374227d5d5d7d2c22726f6c65223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2266696e616e6365227d2c226669786564223a747275657d2c22726f75746573223a5b7b22746f223a5b22726573756c74225d2c22706f7274223a22617070726f766564227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a226f6e417070726f7665227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a22617070726f7665227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a22726573756c74222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f756e74227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b2765616368275d2e6f75747075742e73746174652e746f74616c4974656d73227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226c617374227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e616d65732e6c617374227d5d5d7d7d2c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b27726573756c74275d2e696e636c75646573286c61746573742e7374657029203f206c61746573742e6f7574707574203a205b5b73746570735b27726573756c74275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c295d2e6d61702862657374203d3e2062657374203d3d206e756c6c203f206c61746573742e6f7574707574203a20626573742e6f7574707574295b305d29227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d2c227772697474656e223a5b5b22286c6f63616c2e6974656d20213d3d20756e646566696e6564203f206c6f63616c2e6974656d203a20285b2765616368275d2e696e636c75646573286c6f6f702e6f776e657229202626206c6f6f702e626174636820213d206e756c6c203f20286c6f6f702e6974656d203d3d3d20756e646566696e6564203f206c6f6f702e62617463682e6974656d73203a206c6f6f702e6974656d29203a206e616d65732e6974656d2929202a2032222c226974656d202a2032225d2c5b226e616d65732e6c617374222c226c617374225d2c5b2273746570735b2765616368275d2e6f75747075742e73746174652e746f74616c4974656d73222c2273746570732e656163682e6f75747075742e646174612e73746174652e746f74616c4974656d73225d5d7d	ports
\.


--
-- Data for Name: payloads; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.payloads (eid, seq, number, data) FROM stdin;
1	3	0	[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115,116,117,118,119,120,121,122,123,124,125,126,127,128,129,130,131,132,133,134,135,136,137,138,139,140,141,142,143,144,145,146,147,148,149,150,151,152,153,154,155,156,157,158,159,160,161,162,163,164,165,166,167,168,169,170,171,172,173,174,175,176,177,178,179,180,181,182,183,184,185,186,187,188,189,190,191,192,193,194,195,196,197,198,199,200,201,202,203,204,205,206,207,208,209,210,211,212,213,214,215,216,217,218,219,220,221,222,223,224,225,226,227,228,229,230,231,232,233,234,235,236,237,238,239,240,241,242,243,244,245,246,247,248,249,250,251,252,253,254,255,256,257,258,259,260,261,262,263,264,265,266,267,268,269,270,271,272,273,274,275,276,277,278,279,280,281,282,283,284,285,286,287,288,289,290,291,292,293,294,295,296,297,298,299,300,301,302,303,304,305,306,307,308,309,310,311,312,313,314,315,316,317,318,319,320,321,322,323,324,325,326,327,328,329,330,331,332,333,334,335,336,337,338,339,340,341,342,343,344,345,346,347,348,349,350,351,352,353,354,355,356,357,358,359,360,361,362,363,364,365,366,367,368,369,370,371,372,373,374,375,376,377,378,379,380,381,382,383,384,385,386,387,388,389,390,391,392,393,394,395,396,397,398,399]
\.


--
-- Data for Name: perdure; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.perdure (version) FROM stdin;
10
\.


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.schedules (organization, workflow, id, digest, spec, form, paused, next_at, last_slot, last_execution, skipped, added) FROM stdin;
\.


--
-- Data for Name: snapshots; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.snapshots (eid, seq, form, data) FROM stdin;
1	805	1	\\x7b22657865637574696f6e223a223031613166303962306330376632663635306262376163326437323038366466222c22736571223a3830352c226174223a313739353033383035353433312c22737461727465645f6174223a313739353033383035353433312c22696e7075745f736571223a312c226c6173745f736571223a3830342c22746f6b656e73223a7b7d2c226f7073223a7b22383035223a7b226b696e64223a22617070726f76616c222c226f70223a3830352c2273746570223a332c22746f6b656e223a7b2263616d65223a5b315d2c226672616d65223a332c2273696e6365223a3830347d2c2273696e6365223a313739353033383035353433317d7d2c2273636f706573223a7b2233223a7b226b696e64223a226c6f6f70222c2273746570223a312c22746f74616c223a3430302c2262617463685f73697a65223a312c227374617274223a3430302c227469636b73223a3430302c22636f6d706c657465223a747275657d7d2c226c617374223a7b2230223a322c2231223a3830342c2232223a3830337d2c22636f6d706c65746564223a7b2230223a322c2231223a3830342c2232223a3830337d2c2272756e73223a7b2230223a312c2231223a3430312c2232223a3430302c2233223a317d2c2276617273223a7b22636f6e666967223a5b312c2d312c66616c73655d2c226c617374223a5b3830332c322c66616c73655d7d2c22656e7465726564223a3830332c2264756573223a7b7d7d
\.


--
-- Data for Name: subscriptions; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.subscriptions (organization, workflow, number, digest, pattern) FROM stdin;
\.


--
-- Data for Name: trigger_log; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.trigger_log (pos, organization, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at) FROM stdin;
\.


--
-- Data for Name: uncalled; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.uncalled (eid, op, task) FROM stdin;
\.


--
-- Data for Name: waits; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.waits (eid, op, organization, pattern, look_back, wild, place, key) FROM stdin;
\.


--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.workers (id, lease_until, tasks, barred) FROM stdin;
\.


--
-- Data for Name: workflow_versions; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at, document) FROM stdin;
default	wf_d728cd880b5a7b386c7312f2	1	1	ports	long	9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316	active	1795038055407	{"name":"long","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"each"}},{"stepSlug":"each","stepType":"loop","order":2,"config":{"items":"{{ input.items }}","itemVariable":"item"},"nextSteps":{"loop":"keep","done":"ask"}},{"stepSlug":"keep","stepType":"action","order":3,"config":{"type":"set_variables","parameters":{"last":"{{ item * 2 }}"}},"nextSteps":{"success":"each"}},{"stepSlug":"ask","stepType":"approval","order":4,"config":{"approverRole":"finance","submittedData":{"last":"{{ last }}"}},"nextSteps":{"approved":"result"}},{"stepSlug":"result","stepType":"output","order":5,"config":{"mapping":{"count":"{{ steps.each.output.data.state.totalItems }}","last":"{{ last }}"}}}]}
\.


--
-- Data for Name: workflows; Type: TABLE DATA; Schema: public; Owner: postgres
--

COPY public.workflows (organization, id, name, newest, active, digest) FROM stdin;
default	wf_d728cd880b5a7b386c7312f2	long	1	1	9fd9e1784e082a73e0a21d71b744e15a1bb58aa0d20b756c63b20c8d71eff316
\.


--
-- Name: approval_items_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.approval_items_pos_seq', 1, true);


--
-- Name: audit_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.audit_pos_seq', 5, true);


--
-- Name: executions_eid_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.executions_eid_seq', 1, true);


--
-- Name: trigger_log_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: postgres
--

SELECT pg_catalog.setval('public.trigger_log_pos_seq', 1, false);


--
-- Name: answers answers_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (organization, key);


--
-- Name: approval_items approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.approval_items
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);


--
-- Name: audit_chains audit_chains_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.audit_chains
    ADD CONSTRAINT audit_chains_pkey PRIMARY KEY (organization, writer);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (pos);


--
-- Name: cards cards_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.cards
    ADD CONSTRAINT cards_pkey PRIMARY KEY (register, organization, id);


--
-- Name: consumed consumed_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.consumed
    ADD CONSTRAINT consumed_pkey PRIMARY KEY (eid, event);


--
-- Name: dedups dedups_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.dedups
    ADD CONSTRAINT dedups_pkey PRIMARY KEY (eid, dedup);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (eid, event);


--
-- Name: events events_organization_id_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_key UNIQUE (organization, id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pos);


--
-- Name: executions executions_id_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_id_key UNIQUE (id);


--
-- Name: executions executions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_pkey PRIMARY KEY (eid);


--
-- Name: forgotten forgotten_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.forgotten
    ADD CONSTRAINT forgotten_pkey PRIMARY KEY (organization);


--
-- Name: history history_eid_seq_key; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_eid_seq_key UNIQUE (eid, seq);


--
-- Name: history history_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (pos);


--
-- Name: idempotency idempotency_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (organization, key);


--
-- Name: inbox inbox_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (pos);


--
-- Name: key_uses key_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.key_uses
    ADD CONSTRAINT key_uses_pkey PRIMARY KEY (organization, id);


--
-- Name: leavings leavings_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.leavings
    ADD CONSTRAINT leavings_pkey PRIMARY KEY (eid);


--
-- Name: models models_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (digest);


--
-- Name: payloads payloads_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.payloads
    ADD CONSTRAINT payloads_pkey PRIMARY KEY (eid, seq, number);


--
-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (organization, workflow, id);


--
-- Name: snapshots snapshots_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (eid);


--
-- Name: subscriptions subscriptions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (organization, workflow, number);


--
-- Name: trigger_log trigger_log_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.trigger_log
    ADD CONSTRAINT trigger_log_pkey PRIMARY KEY (pos);


--
-- Name: uncalled uncalled_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.uncalled
    ADD CONSTRAINT uncalled_pkey PRIMARY KEY (eid, op);


--
-- Name: waits waits_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.waits
    ADD CONSTRAINT waits_pkey PRIMARY KEY (eid, op);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: workflow_versions workflow_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.workflow_versions
    ADD CONSTRAINT workflow_versions_pkey PRIMARY KEY (organization, workflow, number);


--
-- Name: workflows workflows_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.workflows
    ADD CONSTRAINT workflows_pkey PRIMARY KEY (organization, id);


--
-- Name: answers_by_time; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX answers_by_time ON public.answers USING btree (promised_at);


--
-- Name: approvals_about; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_about ON public.approval_items USING btree (organization, resource_type, resource_id, status, late, pos) WHERE (resource_type IS NOT NULL);


--
-- Name: approvals_by_status; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_by_status ON public.approval_items USING btree (organization, status, late, pos);


--
-- Name: approvals_handed; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_handed ON public.approval_items USING btree (organization, handed, status, late, pos) WHERE (handed IS NOT NULL);


--
-- Name: approvals_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX approvals_of ON public.approval_items USING btree (eid, op);


--
-- Name: approvals_of_member; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_of_member ON public.approval_items USING btree (organization, member, status, late, pos) WHERE (member IS NOT NULL);


--
-- Name: approvals_of_nobody; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_of_nobody ON public.approval_items USING btree (organization, status, late, pos) WHERE ((member IS NULL) AND (role IS NULL));


--
-- Name: approvals_of_role; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_of_role ON public.approval_items USING btree (organization, role, status, late, pos) WHERE (role IS NOT NULL);


--
-- Name: approvals_of_workflow; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX approvals_of_workflow ON public.approval_items USING btree (organization, workflow, status, late, pos);


--
-- Name: audit_chain; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX audit_chain ON public.audit USING btree (organization, writer, number);


--
-- Name: audit_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX audit_of ON public.audit USING btree (organization, pos);


--
-- Name: audit_of_approval; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX audit_of_approval ON public.audit USING btree (approval, pos) WHERE (approval IS NOT NULL);


--
-- Name: cards_anywhere; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX cards_anywhere ON public.cards USING btree (register, id);


--
-- Name: consumed_by; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX consumed_by ON public.consumed USING btree (event, eid);


--
-- Name: deliveries_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_of ON public.deliveries USING btree (event, eid);


--
-- Name: events_by_type; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_by_type ON public.events USING btree (organization, type, pos) WHERE (type !~~ 'workflow.%'::text);


--
-- Name: events_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_of ON public.events USING btree (organization, pos);


--
-- Name: events_unrouted; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_unrouted ON public.events USING btree (pos) WHERE (NOT routed);


--
-- Name: executions_by_status; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_by_status ON public.executions USING btree (organization, status, eid) WHERE (owner IS NULL);


--
-- Name: executions_by_status_at; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_by_status_at ON public.executions USING btree ((
CASE status
    WHEN 'pending'::text THEN 'CREATED'::text
    WHEN 'running'::text THEN 'RUNNING'::text
    WHEN 'completed'::text THEN 'COMPLETED'::text
    WHEN 'failed'::text THEN 'FAILED'::text
    WHEN 'cancelled'::text THEN 'CANCELLED'::text
    WHEN 'waiting'::text THEN
    CASE
        WHEN (substr(waiting, 1, 14) = ANY (ARRAY['{"kind":"event'::text, '{"kind":"appro'::text])) THEN 'WAITING_FOR_EVENT'::text
        ELSE 'RUNNING'::text
    END
    ELSE NULL::text
END), status_at) WHERE (owner IS NULL);


--
-- Name: executions_correlated; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_correlated ON public.executions USING btree (correlation_id, organization, eid) WHERE (correlation_id IS NOT NULL);


--
-- Name: executions_ended; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_ended ON public.executions USING btree (ended_at) WHERE ((NOT live) AND (owner IS NULL));


--
-- Name: executions_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_of ON public.executions USING btree (organization, eid);


--
-- Name: executions_of_parent; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_of_parent ON public.executions USING btree (parent, eid) WHERE (parent IS NOT NULL);


--
-- Name: executions_of_workflow; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_of_workflow ON public.executions USING btree (workflow, organization, eid);


--
-- Name: executions_owned; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_owned ON public.executions USING btree (owner) WHERE (owner IS NOT NULL);


--
-- Name: executions_owned_with_mail; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_owned_with_mail ON public.executions USING btree (owner) WHERE ((owner IS NOT NULL) AND (mail > 0));


--
-- Name: executions_ready; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_ready ON public.executions USING btree (eid) WHERE (ready AND (owner IS NULL));


--
-- Name: executions_started; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_started ON public.executions USING btree (organization, started_at);


--
-- Name: executions_waiting_at; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_waiting_at ON public.executions USING btree (public.waited(status, waiting, 'step'::text, true)) WHERE (public.waited(status, waiting, 'step'::text, true) IS NOT NULL);


--
-- Name: executions_waiting_for; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_waiting_for ON public.executions USING btree (public.waited(status, waiting, 'on'::text, false)) WHERE (public.waited(status, waiting, 'on'::text, false) IS NOT NULL);


--
-- Name: executions_wake; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX executions_wake ON public.executions USING btree (wake_at) WHERE ((owner IS NULL) AND live AND (wake_at IS NOT NULL));


--
-- Name: history_within; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX history_within ON public.history USING btree (eid, scope, seq) WHERE (scope IS NOT NULL);


--
-- Name: idempotency_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX idempotency_of ON public.idempotency USING btree (execution);


--
-- Name: inbox_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX inbox_of ON public.inbox USING btree (eid, pos);


--
-- Name: schedules_due; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (paused = 0);


--
-- Name: trigger_log_by_outcome; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX trigger_log_by_outcome ON public.trigger_log USING btree (organization, outcome, pos);


--
-- Name: trigger_log_by_subject; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX trigger_log_by_subject ON public.trigger_log USING btree (organization, subject, pos);


--
-- Name: trigger_log_of; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX trigger_log_of ON public.trigger_log USING btree (organization, pos);


--
-- Name: uncalled_by_task; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX uncalled_by_task ON public.uncalled USING btree (task, eid);


--
-- Name: waits_by_pattern; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX waits_by_pattern ON public.waits USING btree (organization, pattern, place, key, eid);


--
-- Name: waits_to_look_back; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX waits_to_look_back ON public.waits USING btree (eid, op) WHERE look_back;


--
-- Name: waits_wild; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX waits_wild ON public.waits USING btree (organization, pattern) WHERE (wild = 1);


--
-- Name: workflow_versions_called; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX workflow_versions_called ON public.workflow_versions USING btree ((((((organization || '/'::text) || workflow) || '@'::text) || version)));


--
-- Name: workflow_versions_with; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX workflow_versions_with ON public.workflow_versions USING btree (digest);


--
-- Name: workflows_by_name; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX workflows_by_name ON public.workflows USING btree (organization, name, id);


--
-- Name: answers; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.answers ENABLE ROW LEVEL SECURITY;

--
-- Name: approval_items; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.approval_items ENABLE ROW LEVEL SECURITY;

--
-- Name: audit; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.audit ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_chains; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.audit_chains ENABLE ROW LEVEL SECURITY;

--
-- Name: cards; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.cards ENABLE ROW LEVEL SECURITY;

--
-- Name: consumed; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.consumed ENABLE ROW LEVEL SECURITY;

--
-- Name: dedups; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.dedups ENABLE ROW LEVEL SECURITY;

--
-- Name: deliveries; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

--
-- Name: executions; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.executions ENABLE ROW LEVEL SECURITY;

--
-- Name: forgotten; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.forgotten ENABLE ROW LEVEL SECURITY;

--
-- Name: history; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.history ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.idempotency ENABLE ROW LEVEL SECURITY;

--
-- Name: inbox; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.inbox ENABLE ROW LEVEL SECURITY;

--
-- Name: key_uses; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.key_uses ENABLE ROW LEVEL SECURITY;

--
-- Name: payloads; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.payloads ENABLE ROW LEVEL SECURITY;

--
-- Name: answers perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.answers USING (true);


--
-- Name: approval_items perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.approval_items USING (true);


--
-- Name: audit perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.audit USING (true);


--
-- Name: audit_chains perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.audit_chains USING (true);


--
-- Name: cards perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.cards USING (true);


--
-- Name: consumed perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.consumed USING (true);


--
-- Name: dedups perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.dedups USING (true);


--
-- Name: deliveries perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.deliveries USING (true);


--
-- Name: events perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.events USING (true);


--
-- Name: executions perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.executions USING (true);


--
-- Name: forgotten perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.forgotten USING (true);


--
-- Name: history perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.history USING (true);


--
-- Name: idempotency perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.idempotency USING (true);


--
-- Name: inbox perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.inbox USING (true);


--
-- Name: key_uses perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.key_uses USING (true);


--
-- Name: payloads perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.payloads USING (true);


--
-- Name: schedules perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.schedules USING (true);


--
-- Name: snapshots perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.snapshots USING (true);


--
-- Name: subscriptions perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.subscriptions USING (true);


--
-- Name: trigger_log perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.trigger_log USING (true);


--
-- Name: uncalled perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.uncalled USING (true);


--
-- Name: waits perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.waits USING (true);


--
-- Name: workers perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.workers USING (true);


--
-- Name: workflow_versions perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.workflow_versions USING (true);


--
-- Name: workflows perdure_all; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_all ON public.workflows USING (true);


--
-- Name: answers perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.answers AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: approval_items perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.approval_items AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: audit perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.audit AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: audit_chains perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.audit_chains AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: cards perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.cards AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: consumed perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.consumed AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = consumed.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: dedups perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.dedups AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = dedups.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: deliveries perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.deliveries AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = deliveries.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: events perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.events AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: executions perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.executions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: POLICY perdure_tenant ON executions; Type: COMMENT; Schema: public; Owner: postgres
--

COMMENT ON POLICY perdure_tenant ON public.executions IS 'made by Perdure: d3b8b0170656a8c7d1255c4ad7abea368f7d6d33230fa78297d7aedee8a9eba2';


--
-- Name: forgotten perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.forgotten AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: history perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.history AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = history.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: idempotency perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.idempotency AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: inbox perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.inbox AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = inbox.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: key_uses perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.key_uses AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: payloads perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.payloads AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = payloads.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: schedules perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.schedules AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: snapshots perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.snapshots AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = snapshots.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: subscriptions perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.subscriptions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: trigger_log perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.trigger_log AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: uncalled perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.uncalled AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = uncalled.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: waits perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.waits AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: workers perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.workers AS RESTRICTIVE TO perdure_tenant_postgres USING (true);


--
-- Name: workflow_versions perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.workflow_versions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: workflows perdure_tenant; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY perdure_tenant ON public.workflows AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: schedules; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshots; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.snapshots ENABLE ROW LEVEL SECURITY;

--
-- Name: subscriptions; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.subscriptions ENABLE ROW LEVEL SECURITY;

--
-- Name: trigger_log; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.trigger_log ENABLE ROW LEVEL SECURITY;

--
-- Name: uncalled; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.uncalled ENABLE ROW LEVEL SECURITY;

--
-- Name: waits; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.waits ENABLE ROW LEVEL SECURITY;

--
-- Name: workers; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.workers ENABLE ROW LEVEL SECURITY;

--
-- Name: workflow_versions; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.workflow_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: workflows; Type: ROW SECURITY; Schema: public; Owner: postgres
--

ALTER TABLE public.workflows ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: pg_database_owner
--

GRANT USAGE ON SCHEMA public TO perdure_tenant_postgres;


--
-- Name: FUNCTION model_with(digest text); Type: ACL; Schema: public; Owner: postgres
--

REVOKE ALL ON FUNCTION public.model_with(digest text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.model_with(digest text) TO perdure_tenant_postgres;


--
-- Name: TABLE executions; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.executions TO perdure_tenant_postgres;


--
-- Name: TABLE history; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.history TO perdure_tenant_postgres;


--
-- Name: TABLE payloads; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.payloads TO perdure_tenant_postgres;


--
-- Name: TABLE answers; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.answers TO perdure_tenant_postgres;


--
-- Name: TABLE approval_items; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.approval_items TO perdure_tenant_postgres;


--
-- Name: TABLE audit; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.audit TO perdure_tenant_postgres;


--
-- Name: TABLE audit_chains; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.audit_chains TO perdure_tenant_postgres;


--
-- Name: TABLE cards; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.cards TO perdure_tenant_postgres;


--
-- Name: TABLE consumed; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.consumed TO perdure_tenant_postgres;


--
-- Name: TABLE dedups; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.dedups TO perdure_tenant_postgres;


--
-- Name: TABLE deliveries; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.deliveries TO perdure_tenant_postgres;


--
-- Name: TABLE events; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.events TO perdure_tenant_postgres;


--
-- Name: TABLE forgotten; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.forgotten TO perdure_tenant_postgres;


--
-- Name: TABLE idempotency; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.idempotency TO perdure_tenant_postgres;


--
-- Name: TABLE inbox; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.inbox TO perdure_tenant_postgres;


--
-- Name: TABLE key_uses; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.key_uses TO perdure_tenant_postgres;


--
-- Name: TABLE workflow_versions; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.workflow_versions TO perdure_tenant_postgres;


--
-- Name: TABLE workflows; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.workflows TO perdure_tenant_postgres;


--
-- Name: TABLE schedules; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.schedules TO perdure_tenant_postgres;


--
-- Name: TABLE snapshots; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.snapshots TO perdure_tenant_postgres;


--
-- Name: TABLE subscriptions; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.subscriptions TO perdure_tenant_postgres;


--
-- Name: TABLE trigger_log; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.trigger_log TO perdure_tenant_postgres;


--
-- Name: TABLE uncalled; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.uncalled TO perdure_tenant_postgres;


--
-- Name: TABLE waits; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.waits TO perdure_tenant_postgres;


--
-- Name: TABLE workers; Type: ACL; Schema: public; Owner: postgres
--

GRANT SELECT ON TABLE public.workers TO perdure_tenant_postgres;


--
-- PostgreSQL database dump complete
--


