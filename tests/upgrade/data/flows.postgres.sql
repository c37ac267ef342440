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
-- Name: base_place(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.base_place() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT pg_current_xact_id()::text::bigint << 24 $$;


--
-- Name: error_info(json, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.error_info(failure json, at bigint) RETURNS json
    LANGUAGE sql STABLE
    AS $$
  SELECT json_object_agg(key, value) FROM (VALUES
    ('message', failure -> 'message'), ('category', coalesce(failure -> 'category', '"UNKNOWN"')), ('retriable', coalesce(failure -> 'retriable', 'true')),
    ('code', failure -> 'code'), ('details', failure -> 'details'), ('stackTrace', failure -> 'stack'), ('timestamp', to_json(iso(at)))
  ) AS each (key, value) WHERE value IS NOT NULL
$$;


--
-- Name: horizon(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.horizon() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$ SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 24 $$;


--
-- Name: iso(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.iso(bigint) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  SELECT CASE WHEN $1 BETWEEN -62135596800000 AND 253402300799999 THEN
    to_char(to_timestamp(floor($1 / 1000.0)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.') || lpad(($1 - floor($1 / 1000.0) * 1000)::text, 3, '0') || 'Z'
  END
$_$;


--
-- Name: model_with(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.model_with(digest text) RETURNS TABLE(data bytea, dialect text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT kept.data, kept.dialect FROM public.models AS kept WHERE kept.digest = $1
$_$;


--
-- Name: number_in(json, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.number_in(given json, name text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  IF pg_input_is_valid(given ->> name, 'bigint') THEN RETURN (given ->> name)::bigint; END IF;
  RETURN NULL;
END $$;


--
-- Name: place_of(xid8); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.place_of(xid8) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT $1::text::bigint << 24 $_$;


--
-- Name: readable(text); Type: FUNCTION; Schema: public; Owner: -
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


--
-- Name: transaction_of(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.transaction_of(bigint) RETURNS xid8
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT ($1 >> 24)::text::xid8 $_$;


--
-- Name: waited(text, text, text, boolean); Type: FUNCTION; Schema: public; Owner: -
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


--
-- Name: worker_lock(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.worker_lock(text) RETURNS bigint
    LANGUAGE sql STABLE
    AS $_$ SELECT hashtextextended(current_schema() || ':' || $1, 1885696356) $_$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: executions; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: history; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: payloads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payloads (
    eid bigint NOT NULL,
    seq bigint NOT NULL,
    number bigint NOT NULL,
    data text NOT NULL
);


--
-- Name: facts; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW facts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.facts IS 'made by Perdure: 4abf5ca79ee6d857676ffa27038c2fee05326b673ec184bf6df63105ce2567af';


--
-- Name: models; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.models (
    digest text NOT NULL COLLATE pg_catalog."C",
    data bytea NOT NULL,
    dialect text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: Execution; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW "Execution"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public."Execution" IS 'made by Perdure: e57a813f37789c0d856c3a57aadb386356a9fc90f3c3552db777eaee6f7bc6bb';


--
-- Name: answers; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: approval_items; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: approval_items_pos_seq; Type: SEQUENCE; Schema: public; Owner: -
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
-- Name: approvals; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW approvals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.approvals IS 'made by Perdure: 3d77d420971baf838baebfd9f1f119ba1e651cace5b5ef1c785847966e55c01b';


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    pos bigint NOT NULL,
    organization text NOT NULL COLLATE pg_catalog."C",
    writer text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    data text NOT NULL,
    approval text COLLATE pg_catalog."C"
);


--
-- Name: audit_chains; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_chains (
    organization text NOT NULL COLLATE pg_catalog."C",
    writer text NOT NULL COLLATE pg_catalog."C",
    entries bigint NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: audit_pos_seq; Type: SEQUENCE; Schema: public; Owner: -
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
-- Name: cards; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cards (
    organization text NOT NULL COLLATE pg_catalog."C",
    register text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL,
    changed_at bigint NOT NULL,
    data text NOT NULL
);


--
-- Name: consumed; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.consumed (
    eid bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: dedups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dedups (
    eid bigint NOT NULL,
    dedup text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    eid bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: events; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: executions_eid_seq; Type: SEQUENCE; Schema: public; Owner: -
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
-- Name: forgotten; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.forgotten (
    organization text NOT NULL COLLATE pg_catalog."C",
    pos bigint NOT NULL
);


--
-- Name: idempotency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency (
    organization text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    execution text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: inbox; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.inbox (
    pos bigint NOT NULL,
    eid bigint NOT NULL,
    data text NOT NULL
);


--
-- Name: key_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_uses (
    organization text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);


--
-- Name: leavings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leavings (
    eid bigint NOT NULL
);


--
-- Name: orchestration_executions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW orchestration_executions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.orchestration_executions IS 'made by Perdure: 47f194130b7618978c0bc4b0bdde98e8d3aea7d368d6ec6d483a4d2808bcab38';


--
-- Name: orchestration_steps; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW orchestration_steps; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.orchestration_steps IS 'made by Perdure: c9b1162a99f51231348179bb29a7a508de14079cdfd57c4f3efd0def84e34683';


--
-- Name: orchestration_undone; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW orchestration_undone; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.orchestration_undone IS 'made by Perdure: 4a62e898179570839151456bea7fc96c65a072676aab901dd0ae7fd9da798f88';


--
-- Name: perdure; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.perdure (
    version bigint NOT NULL
);


--
-- Name: workflow_versions; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: workflows; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workflows (
    organization text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    newest bigint NOT NULL,
    active bigint,
    digest text COLLATE pg_catalog."C"
);


--
-- Name: ports_definitions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW ports_definitions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.ports_definitions IS 'made by Perdure: 6188ce177cd3eae04ff615a5ba44f74cb813580dccca3864e405115b8d6098db';


--
-- Name: ports_executions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW ports_executions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.ports_executions IS 'made by Perdure: 64d808015198383e94757fab75ad4e38d9c65ce6ffea92e17f110ca9ac182078';


--
-- Name: ports_loops_left; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW ports_loops_left; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.ports_loops_left IS 'made by Perdure: 479aa89bee156ee0a28fb79afb44e41af6be0998b2af961d5e6302cd874e81b7';


--
-- Name: ports_ticks; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW ports_ticks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.ports_ticks IS 'made by Perdure: ac1fdd43cef04fccc29e312472b29e97915d2c4c479f2b944bb8d2e2c34f4d56';


--
-- Name: ports_variables; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW ports_variables; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.ports_variables IS 'made by Perdure: 437b283f7b384ace3d4e403780373144f05637ab4b626a55f2b66d144cae2621';


--
-- Name: schedules; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: snapshots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.snapshots (
    eid bigint NOT NULL,
    seq bigint NOT NULL,
    form bigint NOT NULL,
    data bytea NOT NULL
);


--
-- Name: subscriptions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.subscriptions (
    organization text NOT NULL COLLATE pg_catalog."C",
    workflow text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    digest text NOT NULL COLLATE pg_catalog."C",
    pattern text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: trigger_log; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: trigger_log_pos_seq; Type: SEQUENCE; Schema: public; Owner: -
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
-- Name: uncalled; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uncalled (
    eid bigint NOT NULL,
    op bigint NOT NULL,
    task text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: waits; Type: TABLE; Schema: public; Owner: -
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


--
-- Name: wfDefinitions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW "wfDefinitions"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public."wfDefinitions" IS 'made by Perdure: 127b0fa79b42ba215ce62aa6b87b321e67df382303510a29f678ce1c7f7491ce';


--
-- Name: wfExecutions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW "wfExecutions"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public."wfExecutions" IS 'made by Perdure: dd859500f6cad5f5220294e4065f0c0ff5713b33a947e9221085f53f3f89247a';


--
-- Name: wfStepDefs; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW "wfStepDefs"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public."wfStepDefs" IS 'made by Perdure: 8e2eb183ba008eb29c2990d86ade6dc443f8335deba07c9d2e0aa56d5bec0f44';


--
-- Name: workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.workers (
    id text NOT NULL COLLATE pg_catalog."C",
    lease_until bigint NOT NULL,
    tasks text DEFAULT '[]'::text NOT NULL,
    barred boolean DEFAULT false NOT NULL
);


--
-- Name: workflow_definitions; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW workflow_definitions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.workflow_definitions IS 'made by Perdure: 73bf286ca8214f28def19528b32b58d21f3befb318fb4182bb459c0f351a3ca7';


--
-- Name: workflow_instances; Type: VIEW; Schema: public; Owner: -
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


--
-- Name: VIEW workflow_instances; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.workflow_instances IS 'made by Perdure: c18debad24a156b60d171edbdb3bbb9dec8f1a1098b3324343b79cabc19a22f3';


--
-- Data for Name: answers; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.answers (organization, key, request, promised_by, promised_at, until, answered_at, status, content_type, headers, body) FROM stdin;
default	c7dd1a032979c9fc0a12a79e	985a774db0b4a0c675a324e629b2ca79c7aaf7abe23d42a1016e1f51e70e0859	vm-1196-f8ba5ea2/01a1ef15fc7f73d7ee9c7ee1f561ae6c	1795012557952	1795012617952	1795012557955	202	application/json	[]	\\x7b226974656d73223a5b7b226964223a22636f756e7465642d31222c2263726561746564223a747275657d5d7d
default	81b812c7fd17cc82facabcdc	95c663546f1b084ef082cdb5416b76fcf942eab19f835affd450c45b7bc08067	vm-1196-f8ba5ea2/01a1ef15fc852cdf3112e4585df3dd58	1795012557958	1795012617958	1795012557973	201	application/json	[]	\\x7b226964223a2277665f353333306563666166363566613334653931373738373063222c226e616d65223a2262792d72657374222c2276657273696f6e223a2231222c22737461747573223a22616374697665222c226469616c656374223a226772617068222c2263726561746564223a747275652c227761726e696e6773223a5b5d7d
\.


--
-- Data for Name: approval_items; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.approval_items (id, eid, op, organization, status, data, pos, workflow, member, role, handed, late, claimed, resource_type, resource_id) FROM stdin;
2eedc2b4474616e552b16086	2	3	default	pending	{"id":"2eedc2b4474616e552b16086","execution":"01a1ef15fa975a0123a328865d0bab58","op":3,"step":"ask","request":{"amount":10},"opened_at":1795012557463,"asked":{"role":"finance","priority":"high","fixed":true},"workflow":"wf_124bb2fd3d974a042ccbe324"}	1	wf_124bb2fd3d974a042ccbe324	\N	finance	\N	0	\N	\N	01a1ef15fa975a0123a328865d0bab58
d938a70a7bb4e6ace8eac8a0	3	3	default	pending	{"id":"d938a70a7bb4e6ace8eac8a0","execution":"01a1ef15faa0a17e03ff3acdc37ca2b2","op":3,"step":"ask","request":{"amount":11},"opened_at":1795012557472,"asked":{"role":"finance","priority":"high","fixed":true},"workflow":"wf_124bb2fd3d974a042ccbe324"}	2	wf_124bb2fd3d974a042ccbe324	\N	finance	\N	0	\N	\N	01a1ef15faa0a17e03ff3acdc37ca2b2
ba2ad00521a5f41759fe3fe4	16	3	default	pending	{"id":"ba2ad00521a5f41759fe3fe4","execution":"9243b8b3220c548443c03799","op":3,"step":"ask","request":{"amount":20},"opened_at":1795012557607,"organization":"default","asked":{"role":"finance","priority":"high","fixed":true},"workflow":"wf_124bb2fd3d974a042ccbe324"}	4	wf_124bb2fd3d974a042ccbe324	\N	finance	\N	0	\N	\N	9243b8b3220c548443c03799
82938c6fd4f5855bf3290226	4	3	default	approved	{"id":"82938c6fd4f5855bf3290226","execution":"01a1ef15faa8b8ab220aae9e586eb316","op":3,"step":"ask","request":{"amount":12},"opened_at":1795012557480,"votes":[["ann","approve"]],"status":"approved","decision":"approve","decided_by":"ann","decided_at":1795012561368,"comments":"decided while no worker lived","asked":{"role":"finance","priority":"high","fixed":true},"workflow":"wf_124bb2fd3d974a042ccbe324","said":[["ann",1795012561368,"decided while no worker lived"]]}	3	wf_124bb2fd3d974a042ccbe324	\N	finance	\N	0	\N	\N	01a1ef15faa8b8ab220aae9e586eb316
\.


--
-- Data for Name: audit; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.audit (pos, organization, writer, number, data, approval) FROM stdin;
1	default	vm-862-2bd5aaa2	1	{"organization":"default","writer":"vm-862-2bd5aaa2","number":1,"at":1795012549982,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_0628754bcce47e38685ee966","details":{"name":"parked","version":"1","status":"active","digest":"ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3"},"hash":"a373ce2b6041091bbfde250948d7a23543463a33ef3cdf241f0bebae5a6814dc"}	\N
2	default	vm-1196-f8ba5ea2	1	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":1,"at":1795012557190,"by":"program","action":"member.added","register":"members","subject":"root","details":{"before":null,"after":{"roles":["admin"]}},"hash":"b1f62d3751a7d0c3e90bfdb3d6d1a3d4a34bade516a271cd7023f6359fb1be1e","seen":["vm-862-2bd5aaa2",1,"a373ce2b6041091bbfde250948d7a23543463a33ef3cdf241f0bebae5a6814dc"]}	\N
3	default	vm-1196-f8ba5ea2	2	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":2,"at":1795012557218,"by":"program","action":"member.added","register":"members","subject":"ann","details":{"before":null,"after":{"roles":["approver"],"groups":["finance"]}},"hash":"a593c3bd78ae291666b7f49dc6a4a93ab7ddcfe2bc7c1682d6fe79828ba685c6"}	\N
4	default	vm-1196-f8ba5ea2	3	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":3,"at":1795012557223,"by":"program","action":"member.added","register":"members","subject":"ed","details":{"before":null,"after":{"roles":["operator","editor"]}},"hash":"4067c751bdd8f00efb6dae709a42514720ee9ef6f2a4c91809c5f735e855e832"}	\N
5	default	vm-1196-f8ba5ea2	4	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":4,"at":1795012557229,"by":"program","action":"key.created","register":"keys","subject":"14065cbaebe0c0f0c44d8c25196025611048d7c9fa9f08e9dacbcb5565037f49","details":{"id":"1wsut1bbne","member":"root","scopes":[]},"hash":"3a642a887f68d0c9d20b8b3655b6a330ef312b6b317ed88bc2e620c7c0d5df5d"}	\N
6	default	vm-1196-f8ba5ea2	5	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":5,"at":1795012557242,"by":"program","action":"key.created","register":"keys","subject":"2388bee2d12df14f14db3825e33d2c4bb958da84639ac8b07c9a5f0bfa62c1a8","details":{"id":"2wwrzszw2x","member":"ann","scopes":[]},"hash":"285f8d598c7b9e24a1b16cb78c88a5b95bddb4c7c9b4847cf67af0b29f66ea5a"}	\N
7	default	vm-1196-f8ba5ea2	6	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":6,"at":1795012557247,"by":"program","action":"secret.set","register":"secrets","subject":"CRM_KEY","details":{"keyId":"7fc0d286fae96ad2"},"hash":"da26275aa234a4f81767c241f7cd99d25cc30654f08b9d7f5229d1e01a3cac9d"}	\N
8	default	vm-1196-f8ba5ea2	7	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":7,"at":1795012557278,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_124bb2fd3d974a042ccbe324","details":{"name":"approval","version":"1","status":"active","digest":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a"},"hash":"d284c0f7b9cdfa4b6ae8c9df761873438dfb2bbc81b41f6427095fad1065d74f"}	\N
9	default	vm-1196-f8ba5ea2	8	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":8,"at":1795012557293,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_b461656009fc6885c2b938a8","details":{"name":"timer","version":"1","status":"active","digest":"09e240f3579f964a03179154a739658f28afbae9f8873545db5a44eb8071df10"},"hash":"bc5bb03949783c2206a1d3dcdfd41f13f580186b48674b08c547060f31a41da7"}	\N
10	default	vm-1196-f8ba5ea2	9	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":9,"at":1795012557307,"by":"program","action":"workflow.saved","register":"workflows","subject":"event","details":{"name":"event","version":"1.2.0","status":"active","digest":"ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352"},"hash":"898336f34e5996f8eaede6c7de3e2c8adff403d7493bc7653ad1b78b4ba06b9f"}	\N
11	default	vm-1196-f8ba5ea2	10	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":10,"at":1795012557315,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_a10a2e92a486a78500cd3feb","details":{"name":"loop","version":"1","status":"active","digest":"bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7"},"hash":"81fbb66021f4d3ce8cc37025983b1e822404456f6473e592613a0944065d8236"}	\N
12	default	vm-1196-f8ba5ea2	11	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":11,"at":1795012557408,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_5ab2a7d8bc148c3deae1a31a","details":{"name":"for-each","version":"1","status":"active","digest":"3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019"},"hash":"3e6df0d3d15db78170eb7f45d28898214704eea7a81f5b4a98f307d729dc7260"}	\N
13	default	vm-1196-f8ba5ea2	12	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":12,"at":1795012557413,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_367edf78191653f03b5892ef","details":{"name":"failed","version":"1","status":"active","digest":"6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8"},"hash":"aa281f3c9110fe780b5013cea4f326278deb55f5eea13ce7e8d1c296e70e1939"}	\N
14	default	vm-1196-f8ba5ea2	13	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":13,"at":1795012557417,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_33a6c05238527bdaaa7abdfc","details":{"name":"forked","version":"1","status":"active","digest":"14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7"},"hash":"045e9d7e19ec0ba26a13304e9150544ee08524ff6eb909ba1bd96ff60fa06926"}	\N
15	default	vm-1196-f8ba5ea2	14	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":14,"at":1795012557422,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_a7652fb53f42ac0af014cf95","details":{"name":"parent","version":"1","status":"active","digest":"e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d"},"hash":"c0e8b421ee8c006e591edffd92e34afeecd5d9d1673a27e5e6937561dfdcbf04"}	\N
16	default	vm-1196-f8ba5ea2	15	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":15,"at":1795012557425,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_205c32ed60b75666899ecccf","details":{"name":"retried","version":"1","status":"active","digest":"cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d"},"hash":"e9b0ce5dccf184edde6035a29a4986db4ea62463c3596b53d80c2b04c5a532a7"}	\N
17	default	vm-1196-f8ba5ea2	16	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":16,"at":1795012557427,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_f85c7b6f5da372a4859da450","details":{"name":"secret","version":"1","status":"active","digest":"925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64"},"hash":"1a8923b514204f7e02353e38ed680c72ec06e317ad99c022f954da837aedb170"}	\N
18	default	vm-1196-f8ba5ea2	17	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":17,"at":1795012557432,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_cc35820147a8c980e0fa3cdc","details":{"name":"hooked","version":"1","status":"active","digest":"2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df"},"hash":"3b5d7019b6173ae5b9104ecc1722b166553d0959810bdc25ae6cebab379b8a2c"}	\N
19	default	vm-1196-f8ba5ea2	18	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":18,"at":1795012557439,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_71ff93e11d14055e984d909c","details":{"name":"yearly","version":"1","status":"active","digest":"52c31bc364e0f9ee2eb4e8d5025a2d68217d7a2752b4b611da74df54ef5aeb8c"},"hash":"d360db4d34201365c4f7da9ae2232b79b73b65ad0fcd7be807fb378450b846cb"}	\N
20	default	vm-1196-f8ba5ea2	19	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":19,"at":1795012557444,"by":"program","action":"workflow.saved","register":"workflows","subject":"parallel","details":{"name":"parallel","version":"1.0.0","status":"active","digest":"d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053"},"hash":"3a608f5a30e984e9de21650d65bbd76d729176273430c1e64845b82af0cf0d3f"}	\N
21	default	vm-1196-f8ba5ea2	20	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":20,"at":1795012557447,"by":"program","action":"workflow.saved","register":"workflows","subject":"wf_b461656009fc6885c2b938a8","details":{"name":"timer","version":"2","status":"active","digest":"e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23"},"hash":"24704aadc741f38100961ba9447c84d5a86ebc361cc8b33c50b20bb44c4b709a"}	\N
22	default	vm-1196-f8ba5ea2	21	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":21,"at":1795012557450,"by":"program","action":"webhook.created","register":"webhooks","subject":"d07954a738526b876bb10fce9513a26f84bfc0920a7506b6a20584a6dcef07ab","details":{"id":"wh_02bee968acbd8e0a","workflow":"wf_cc35820147a8c980e0fa3cdc","node":"hook","scheme":null},"hash":"ea925bb625f8254cc4d835b0d677c49d7b9a1941594600365db14ab001d473c1"}	\N
23	default	vm-1196-f8ba5ea2	22	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":22,"at":1795012557452,"by":"program","action":"webhook.created","register":"webhooks","subject":"0b9f1bff1a5cd7da350da981b106b3858db04022b6aca80e7cd0f3be25846f52","details":{"id":"wh_0750783b727c731a","workflow":"wf_cc35820147a8c980e0fa3cdc","node":"hook","scheme":"github"},"hash":"59fc71c3a8b887863e689400d42b9c993cbfae130ad131977cc59616fac78029"}	\N
24	default	vm-1196-f8ba5ea2	23	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":23,"at":1795012557454,"by":"program","action":"schedule.added","register":"schedules","subject":"wf_cc35820147a8c980e0fa3cdc/leap","hash":"0521eb5485fd4727ec0f61fede116d208319460dbe8dcc6cebc46417d3286bc2"}	\N
25	default	vm-1196-f8ba5ea2	24	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":24,"at":1795012557458,"by":"program","action":"schedule.paused","register":"schedules","subject":"wf_cc35820147a8c980e0fa3cdc/leap","hash":"ef9962c37e071101942174656708be9ed08b6b82036d2a7376b10dfb9fc9a590"}	\N
26	default	vm-1196-f8ba5ea2	25	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":25,"at":1795012557661,"by":"program","action":"execution.forked","register":"executions","subject":"01a1ef15fb1ee7cde8b966ee5f9a23b5","details":{"execution":"01a1ef15fb560c58b0ca136cce0f30cc","step":"left","variables":["one"]},"hash":"382b2243887e6e72494098706baf57101b0693b0d0986d761f653c6bc411d7fd"}	\N
27	default	vm-1196-f8ba5ea2	26	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":26,"at":1795012557687,"by":"program","action":"execution.forked","register":"executions","subject":"01a1ef15fb1ee7cde8b966ee5f9a23b5","details":{"execution":"01a1ef15fb6be0bf1c44c9a3d9b379fc","step":"right","variables":["n"]},"hash":"3301cf4dc3557509360740cf9d29ce9f765206901e7638762207eeef2046689c"}	\N
28	default	vm-1196-f8ba5ea2	27	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":27,"at":1795012557771,"by":"ed","action":"execution.cancelled","register":"executions","subject":"01a1ef15fac1f08cdeed8b77217ef180","details":{"reason":"not wanted","compensate":true},"hash":"7b5a486cfc77213081da06d4cb29add6bb6f47ceea4e45b0554873bab972140b"}	\N
29	default	vm-1196-f8ba5ea2	28	{"organization":"default","writer":"vm-1196-f8ba5ea2","number":28,"at":1795012557971,"by":"root","action":"workflow.saved","register":"workflows","subject":"wf_5330ecfaf65fa34e9177870c","details":{"name":"by-rest","version":"1","status":"active","digest":"a04696f79ebdc33890d9b7c3b685f8991f3974b2363bb541520ee0d93be3fa73"},"hash":"5db9f4cf9368d67b7f8e2a0fdbb074870d38db1fb324b3039af43187af98c4aa"}	\N
30	default	vm-1446-4dbb2216	1	{"organization":"default","writer":"vm-1446-4dbb2216","number":1,"at":1795012561368,"by":"ann","action":"approval.approved","register":"approvals","subject":"82938c6fd4f5855bf3290226","details":{"decision":"approve","comments":"decided while no worker lived","changed":false},"hash":"fdac9615a62d115446b328704f1356ee3b8c55f807833085e7b588d3ab8ca335","seen":["vm-1196-f8ba5ea2",28,"5db9f4cf9368d67b7f8e2a0fdbb074870d38db1fb324b3039af43187af98c4aa"]}	82938c6fd4f5855bf3290226
\.


--
-- Data for Name: audit_chains; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.audit_chains (organization, writer, entries, hash) FROM stdin;
default	vm-862-2bd5aaa2	1	a373ce2b6041091bbfde250948d7a23543463a33ef3cdf241f0bebae5a6814dc
default	vm-1196-f8ba5ea2	28	5db9f4cf9368d67b7f8e2a0fdbb074870d38db1fb324b3039af43187af98c4aa
default	vm-1446-4dbb2216	1	fdac9615a62d115446b328704f1356ee3b8c55f807833085e7b588d3ab8ca335
\.


--
-- Data for Name: cards; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.cards (organization, register, id, revision, changed_at, data) FROM stdin;
default	members	root	1	1795012557190	{"roles":["admin"],"since":1795012557190}
default	members	ann	1	1795012557218	{"roles":["approver"],"groups":["finance"],"since":1795012557218}
default	members	ed	1	1795012557223	{"roles":["operator","editor"],"since":1795012557223}
default	keys	14065cbaebe0c0f0c44d8c25196025611048d7c9fa9f08e9dacbcb5565037f49	1	1795012557229	{"id":"1wsut1bbne","member":"root","createdAt":1795012557229,"createdBy":"program"}
default	keys	2388bee2d12df14f14db3825e33d2c4bb958da84639ac8b07c9a5f0bfa62c1a8	1	1795012557242	{"id":"2wwrzszw2x","member":"ann","createdAt":1795012557242,"createdBy":"program"}
default	secrets	CRM_KEY	1	1795012557247	{"sealed":"pse1.7fc0d286fae96ad2.NgwkXVHGQtna81gQHuFbm6dR5yp6OEnduN4TsaOPQoqToZDPWCSeRkJX_DxH_VLBZ7gQGcpLTYrgC4Ef.QVyACS1na0emwT2qrrivh_mcQ_36FbTcypl_U6BnVmZ1GTLeuKbPEEKtWq-U6CtQ","setAt":1795012557247,"setBy":"program"}
default	webhooks	d07954a738526b876bb10fce9513a26f84bfc0920a7506b6a20584a6dcef07ab	1	1795012557450	{"id":"wh_02bee968acbd8e0a","workflow":"wf_cc35820147a8c980e0fa3cdc","node":"hook","scheme":null,"createdAt":1795012557449,"createdBy":"program","signing":[]}
default	webhooks	0b9f1bff1a5cd7da350da981b106b3858db04022b6aca80e7cd0f3be25846f52	1	1795012557452	{"id":"wh_0750783b727c731a","workflow":"wf_cc35820147a8c980e0fa3cdc","node":"hook","scheme":"github","createdAt":1795012557451,"createdBy":"program","signing":[{"name":"wh_0750783b727c731a/1","number":1,"sealed":"pse1.7fc0d286fae96ad2.a7IDqfAndGDQcm19BTuzkCcgXJWI3w1WyJg18uF7vgClOGt_vrgBDQ-B-z7xXgrlNmiQ5WrWL1G2Zick.-oABbE6svDtWxpRSudgA0RGYihpu0w0fUt0p6QPDLcUNXDGrBIgR-AIZfkpEkAE26pZnaZn4QA","addedAt":1795012557451}]}
\.


--
-- Data for Name: consumed; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.consumed (eid, event) FROM stdin;
9	placed-4
\.


--
-- Data for Name: dedups; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.dedups (eid, dedup) FROM stdin;
7	cancel:01a1ef15fbcbfdd7ac0230fa0995faa0
4	approval:82938c6fd4f5855bf3290226
\.


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.deliveries (eid, event) FROM stdin;
\.


--
-- Data for Name: events; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.events (pos, organization, id, type, routed, data, declined, reached) FROM stdin;
15720251393	default	01a1ef15dd86ae6cdc5a092c28779a3d:started:3	workflow.started	t	{"id":"01a1ef15dd86ae6cdc5a092c28779a3d:started:3","type":"workflow.started","at":1795012550022,"data":{"executionId":"01a1ef15dd86ae6cdc5a092c28779a3d","workflowId":"wf_0628754bcce47e38685ee966","name":"parked","status":"started"},"source":"01a1ef15dd86ae6cdc5a092c28779a3d","correlation_id":"parked","depth":0,"told_by":"wf_0628754bcce47e38685ee966"}	\N	0
16542334980	default	01a1ef15fa975a0123a328865d0bab58:started:3	workflow.started	t	{"id":"01a1ef15fa975a0123a328865d0bab58:started:3","type":"workflow.started","at":1795012557463,"data":{"executionId":"01a1ef15fa975a0123a328865d0bab58","workflowId":"wf_124bb2fd3d974a042ccbe324","name":"approval","status":"started"},"source":"01a1ef15fa975a0123a328865d0bab58","correlation_id":"approval","depth":0,"told_by":"wf_124bb2fd3d974a042ccbe324"}	\N	0
16575889412	default	01a1ef15faa0a17e03ff3acdc37ca2b2:started:3	workflow.started	t	{"id":"01a1ef15faa0a17e03ff3acdc37ca2b2:started:3","type":"workflow.started","at":1795012557472,"data":{"executionId":"01a1ef15faa0a17e03ff3acdc37ca2b2","workflowId":"wf_124bb2fd3d974a042ccbe324","name":"approval","status":"started"},"source":"01a1ef15faa0a17e03ff3acdc37ca2b2","correlation_id":"approval-rejected","depth":0,"told_by":"wf_124bb2fd3d974a042ccbe324"}	\N	0
16609443844	default	01a1ef15faa8b8ab220aae9e586eb316:started:3	workflow.started	t	{"id":"01a1ef15faa8b8ab220aae9e586eb316:started:3","type":"workflow.started","at":1795012557480,"data":{"executionId":"01a1ef15faa8b8ab220aae9e586eb316","workflowId":"wf_124bb2fd3d974a042ccbe324","name":"approval","status":"started"},"source":"01a1ef15faa8b8ab220aae9e586eb316","correlation_id":"approval-inbox","depth":0,"told_by":"wf_124bb2fd3d974a042ccbe324"}	\N	0
16642998273	default	01a1ef15fab1fb786e713d88cbe5539d:started:3	workflow.started	t	{"id":"01a1ef15fab1fb786e713d88cbe5539d:started:3","type":"workflow.started","at":1795012557489,"data":{"executionId":"01a1ef15fab1fb786e713d88cbe5539d","workflowId":"wf_b461656009fc6885c2b938a8","name":"timer","status":"started"},"source":"01a1ef15fab1fb786e713d88cbe5539d","correlation_id":"timer","depth":0,"told_by":"wf_b461656009fc6885c2b938a8"}	\N	0
16676552705	default	01a1ef15fab861f5db93f04b088e0aa6:started:2	workflow.started	t	{"id":"01a1ef15fab861f5db93f04b088e0aa6:started:2","type":"workflow.started","at":1795012557496,"data":{"executionId":"01a1ef15fab861f5db93f04b088e0aa6","workflowId":"event","name":"event","status":"started"},"source":"01a1ef15fab861f5db93f04b088e0aa6","correlation_id":"event","depth":0,"told_by":"event"}	\N	0
16710107137	default	01a1ef15fac1f08cdeed8b77217ef180:started:2	workflow.started	t	{"id":"01a1ef15fac1f08cdeed8b77217ef180:started:2","type":"workflow.started","at":1795012557505,"data":{"executionId":"01a1ef15fac1f08cdeed8b77217ef180","workflowId":"event","name":"event","status":"started"},"source":"01a1ef15fac1f08cdeed8b77217ef180","correlation_id":"cancelled","depth":0,"told_by":"event"}	\N	0
16743661569	default	01a1ef15fac57ecc5e669ef2ba3126c4:started:2	workflow.started	t	{"id":"01a1ef15fac57ecc5e669ef2ba3126c4:started:2","type":"workflow.started","at":1795012557509,"data":{"executionId":"01a1ef15fac57ecc5e669ef2ba3126c4","workflowId":"event","name":"event","status":"started"},"source":"01a1ef15fac57ecc5e669ef2ba3126c4","correlation_id":"cancelled-inbox","depth":0,"told_by":"event"}	\N	0
16777216001	default	placed-4	order.placed	t	{"id":"placed-4","type":"order.placed","at":1795012557512,"data":{"order":"o4"}}	\N	0
16810770438	default	01a1ef15fad7c44d1e0905eccf5d4876:started:5	workflow.started	t	{"id":"01a1ef15fad7c44d1e0905eccf5d4876:started:5","type":"workflow.started","at":1795012557527,"data":{"executionId":"01a1ef15fad7c44d1e0905eccf5d4876","workflowId":"wf_a10a2e92a486a78500cd3feb","name":"loop","status":"started"},"source":"01a1ef15fad7c44d1e0905eccf5d4876","correlation_id":"loop","depth":0,"told_by":"wf_a10a2e92a486a78500cd3feb"}	\N	0
16861102083	default	7fb237fa32be5d446d98b42f:started:2	workflow.started	t	{"id":"7fb237fa32be5d446d98b42f:started:2","type":"workflow.started","at":1795012557529,"data":{"executionId":"7fb237fa32be5d446d98b42f","workflowId":"event","name":"event","status":"started"},"source":"7fb237fa32be5d446d98b42f","organization":"default","correlation_id":"o4","depth":0,"told_by":"event"}	\N	0
16894656513	default	01a1ef15fae8a19e8d19c2db04c3fb0b:started:2	workflow.started	t	{"id":"01a1ef15fae8a19e8d19c2db04c3fb0b:started:2","type":"workflow.started","at":1795012557544,"data":{"executionId":"01a1ef15fae8a19e8d19c2db04c3fb0b","workflowId":"wf_5ab2a7d8bc148c3deae1a31a","name":"for-each","status":"started"},"source":"01a1ef15fae8a19e8d19c2db04c3fb0b","correlation_id":"for-each","depth":0,"told_by":"wf_5ab2a7d8bc148c3deae1a31a"}	\N	0
16944988168	default	01a1ef15fb01353187c06a62048ec811:started:3	workflow.started	t	{"id":"01a1ef15fb01353187c06a62048ec811:started:3","type":"workflow.started","at":1795012557569,"data":{"executionId":"01a1ef15fb01353187c06a62048ec811","workflowId":"wf_367edf78191653f03b5892ef","name":"failed","status":"started"},"source":"01a1ef15fb01353187c06a62048ec811","correlation_id":"failed","depth":0,"told_by":"wf_367edf78191653f03b5892ef"}	\N	0
16995319815	default	01a1ef15fb1325e61665eb12390f5459:started:3	workflow.started	t	{"id":"01a1ef15fb1325e61665eb12390f5459:started:3","type":"workflow.started","at":1795012557587,"data":{"executionId":"01a1ef15fb1325e61665eb12390f5459","workflowId":"wf_367edf78191653f03b5892ef","name":"failed","status":"started"},"source":"01a1ef15fb1325e61665eb12390f5459","correlation_id":"failed-for-good","depth":0,"told_by":"wf_367edf78191653f03b5892ef"}	\N	0
16995319814	default	01a1ef15fb01353187c06a62048ec811:failed:5	workflow.failed	t	{"id":"01a1ef15fb01353187c06a62048ec811:failed:5","type":"workflow.failed","at":1795012557588,"data":{"executionId":"01a1ef15fb01353187c06a62048ec811","workflowId":"wf_367edf78191653f03b5892ef","name":"failed","status":"failed","error":"broken on purpose"},"source":"01a1ef15fb01353187c06a62048ec811","correlation_id":"failed","depth":0,"told_by":"wf_367edf78191653f03b5892ef"}	\N	0
17028874247	default	01a1ef15fb1325e61665eb12390f5459:failed:5	workflow.failed	t	{"id":"01a1ef15fb1325e61665eb12390f5459:failed:5","type":"workflow.failed","at":1795012557599,"data":{"executionId":"01a1ef15fb1325e61665eb12390f5459","workflowId":"wf_367edf78191653f03b5892ef","name":"failed","status":"failed","error":"broken on purpose"},"source":"01a1ef15fb1325e61665eb12390f5459","correlation_id":"failed-for-good","depth":0,"told_by":"wf_367edf78191653f03b5892ef"}	\N	0
17062428673	default	01a1ef15fb1ee7cde8b966ee5f9a23b5:started:5	workflow.started	t	{"id":"01a1ef15fb1ee7cde8b966ee5f9a23b5:started:5","type":"workflow.started","at":1795012557598,"data":{"executionId":"01a1ef15fb1ee7cde8b966ee5f9a23b5","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"started"},"source":"01a1ef15fb1ee7cde8b966ee5f9a23b5","correlation_id":"original","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17095983105	default	01a1ef15fb1ee7cde8b966ee5f9a23b5:completed:8	workflow.completed	t	{"id":"01a1ef15fb1ee7cde8b966ee5f9a23b5:completed:8","type":"workflow.completed","at":1795012557609,"data":{"executionId":"01a1ef15fb1ee7cde8b966ee5f9a23b5","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"completed","output":{"n":1,"one":2,"left":20,"held":true}},"source":"01a1ef15fb1ee7cde8b966ee5f9a23b5","correlation_id":"original","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17129537540	default	01a1ef15fb2799f120461e8f48c4fec2:started:3	workflow.started	t	{"id":"01a1ef15fb2799f120461e8f48c4fec2:started:3","type":"workflow.started","at":1795012557607,"data":{"executionId":"01a1ef15fb2799f120461e8f48c4fec2","workflowId":"wf_a7652fb53f42ac0af014cf95","name":"parent","status":"started"},"source":"01a1ef15fb2799f120461e8f48c4fec2","correlation_id":"parent","depth":0,"told_by":"wf_a7652fb53f42ac0af014cf95"}	\N	0
17179869188	default	9243b8b3220c548443c03799:started:3	workflow.started	t	{"id":"9243b8b3220c548443c03799:started:3","type":"workflow.started","at":1795012557607,"data":{"executionId":"9243b8b3220c548443c03799","workflowId":"wf_124bb2fd3d974a042ccbe324","name":"approval","status":"started"},"source":"9243b8b3220c548443c03799","organization":"default","correlation_id":"parent","depth":1,"told_by":"wf_124bb2fd3d974a042ccbe324"}	\N	0
17213423617	default	01a1ef15fb2c82c7d1e1ff8c6e4f7f3c:started:3	workflow.started	t	{"id":"01a1ef15fb2c82c7d1e1ff8c6e4f7f3c:started:3","type":"workflow.started","at":1795012557612,"data":{"executionId":"01a1ef15fb2c82c7d1e1ff8c6e4f7f3c","workflowId":"wf_205c32ed60b75666899ecccf","name":"retried","status":"started"},"source":"01a1ef15fb2c82c7d1e1ff8c6e4f7f3c","correlation_id":"retried","depth":0,"told_by":"wf_205c32ed60b75666899ecccf"}	\N	0
17280532481	default	01a1ef15fb4a221323a86db44f270261:started:4	workflow.started	t	{"id":"01a1ef15fb4a221323a86db44f270261:started:4","type":"workflow.started","at":1795012557642,"data":{"executionId":"01a1ef15fb4a221323a86db44f270261","workflowId":"parallel","name":"parallel","status":"started"},"source":"01a1ef15fb4a221323a86db44f270261","correlation_id":"parallel","depth":0,"told_by":"parallel"}	\N	0
17263755265	default	01a1ef15fb41e682d838e7a887c98dda:started:3	workflow.started	t	{"id":"01a1ef15fb41e682d838e7a887c98dda:started:3","type":"workflow.started","at":1795012557633,"data":{"executionId":"01a1ef15fb41e682d838e7a887c98dda","workflowId":"wf_f85c7b6f5da372a4859da450","name":"secret","status":"started"},"source":"01a1ef15fb41e682d838e7a887c98dda","correlation_id":"secret","depth":0,"told_by":"wf_f85c7b6f5da372a4859da450"}	\N	0
17347641350	default	01a1ef15fb560c58b0ca136cce0f30cc:started:4	workflow.started	t	{"id":"01a1ef15fb560c58b0ca136cce0f30cc:started:4","type":"workflow.started","at":1795012557654,"data":{"executionId":"01a1ef15fb560c58b0ca136cce0f30cc","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"started"},"source":"01a1ef15fb560c58b0ca136cce0f30cc","organization":"default","correlation_id":"original","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17330864129	default	01a1ef15fb41e682d838e7a887c98dda:completed:5	workflow.completed	t	{"id":"01a1ef15fb41e682d838e7a887c98dda:completed:5","type":"workflow.completed","at":1795012557659,"data":{"executionId":"01a1ef15fb41e682d838e7a887c98dda","workflowId":"wf_f85c7b6f5da372a4859da450","name":"secret","status":"completed","output":{"length":27}},"source":"01a1ef15fb41e682d838e7a887c98dda","correlation_id":"secret","depth":0,"told_by":"wf_f85c7b6f5da372a4859da450"}	\N	0
17397972993	default	01a1ef15fb61ed4abd002e1eb2b15a2c:started:5	workflow.started	t	{"id":"01a1ef15fb61ed4abd002e1eb2b15a2c:started:5","type":"workflow.started","at":1795012557665,"data":{"executionId":"01a1ef15fb61ed4abd002e1eb2b15a2c","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"started"},"source":"01a1ef15fb61ed4abd002e1eb2b15a2c","correlation_id":"diamond","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17431527425	default	01a1ef15fb560c58b0ca136cce0f30cc:completed:9	workflow.completed	t	{"id":"01a1ef15fb560c58b0ca136cce0f30cc:completed:9","type":"workflow.completed","at":1795012557675,"data":{"executionId":"01a1ef15fb560c58b0ca136cce0f30cc","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"completed","output":{"n":1,"one":7,"left":70,"held":true}},"source":"01a1ef15fb560c58b0ca136cce0f30cc","organization":"default","correlation_id":"original","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17448304647	default	01a1ef15fb6be0bf1c44c9a3d9b379fc:started:5	workflow.started	t	{"id":"01a1ef15fb6be0bf1c44c9a3d9b379fc:started:5","type":"workflow.started","at":1795012557675,"data":{"executionId":"01a1ef15fb6be0bf1c44c9a3d9b379fc","workflowId":"wf_33a6c05238527bdaaa7abdfc","name":"forked","status":"started"},"source":"01a1ef15fb6be0bf1c44c9a3d9b379fc","organization":"default","correlation_id":"original","depth":0,"told_by":"wf_33a6c05238527bdaaa7abdfc"}	\N	0
17548967937	default	01a1ef15fac1f08cdeed8b77217ef180:cancelled:7	workflow.cancelled	t	{"id":"01a1ef15fac1f08cdeed8b77217ef180:cancelled:7","type":"workflow.cancelled","at":1795012557781,"data":{"executionId":"01a1ef15fac1f08cdeed8b77217ef180","workflowId":"event","name":"event","status":"cancelled","error":"not wanted"},"source":"01a1ef15fac1f08cdeed8b77217ef180","organization":"default","correlation_id":"cancelled","depth":0,"told_by":"event"}	\N	0
17616076802	default	01a1ef15fc70f879085489b27ec89eb3:completed:4	workflow.completed	t	{"id":"01a1ef15fc70f879085489b27ec89eb3:completed:4","type":"workflow.completed","at":1795012557947,"data":{"executionId":"01a1ef15fc70f879085489b27ec89eb3","workflowId":"wf_cc35820147a8c980e0fa3cdc","name":"hooked","status":"completed","output":{"n":5,"got":5}},"source":"01a1ef15fc70f879085489b27ec89eb3","organization":"default","correlation_id":"rest","depth":0,"told_by":"wf_cc35820147a8c980e0fa3cdc"}	\N	0
17616076801	default	01a1ef15fc70f879085489b27ec89eb3:started:4	workflow.started	t	{"id":"01a1ef15fc70f879085489b27ec89eb3:started:4","type":"workflow.started","at":1795012557936,"data":{"executionId":"01a1ef15fc70f879085489b27ec89eb3","workflowId":"wf_cc35820147a8c980e0fa3cdc","name":"hooked","status":"started"},"source":"01a1ef15fc70f879085489b27ec89eb3","organization":"default","correlation_id":"rest","depth":0,"told_by":"wf_cc35820147a8c980e0fa3cdc"}	\N	0
17666408449	default	counted-1	stock.counted	t	{"id":"counted-1","type":"stock.counted","at":1795012557953,"data":{"n":3},"organization":"default"}	\N	0
17767071746	default	01a1ef15fc9d461ebc3433f667989bb6:completed:4	workflow.completed	t	{"id":"01a1ef15fc9d461ebc3433f667989bb6:completed:4","type":"workflow.completed","at":1795012557987,"data":{"executionId":"01a1ef15fc9d461ebc3433f667989bb6","workflowId":"wf_cc35820147a8c980e0fa3cdc","name":"hooked","status":"completed","output":{"n":6,"_trigger":{"type":"WEBHOOK_TRIGGER","depth":0,"firedAt":"2026-11-18T14:35:57.981Z"},"got":6}},"source":"01a1ef15fc9d461ebc3433f667989bb6","organization":"default","depth":0,"told_by":"wf_cc35820147a8c980e0fa3cdc"}	\N	0
17767071745	default	01a1ef15fc9d461ebc3433f667989bb6:started:4	workflow.started	t	{"id":"01a1ef15fc9d461ebc3433f667989bb6:started:4","type":"workflow.started","at":1795012557981,"data":{"executionId":"01a1ef15fc9d461ebc3433f667989bb6","workflowId":"wf_cc35820147a8c980e0fa3cdc","name":"hooked","status":"started"},"source":"01a1ef15fc9d461ebc3433f667989bb6","organization":"default","depth":0,"told_by":"wf_cc35820147a8c980e0fa3cdc"}	\N	0
17918066689	default	paid-1	payment.authorized	f	{"id":"paid-1","type":"payment.authorized","at":1795012561401,"data":{"order":"o4","payment":{"method":"card"}}}	\N	0
17934843905	default	cancel-3	order.cancelled	f	{"id":"cancel-3","type":"order.cancelled","at":1795012561401,"data":{"order":"o3"}}	\N	0
\.


--
-- Data for Name: executions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.executions (eid, id, organization, workflow, digest, status, live, ready, mail, wake_at, owner, epoch, crashes, seq, waiting, output, error, trigger, correlation_id, parent, parent_op, depth, started_at, ended_at, start, born, status_at) FROM stdin;
1	01a1ef15dd86ae6cdc5a092c28779a3d	default	wf_0628754bcce47e38685ee966	ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3	waiting	t	f	0	\N	\N	3	3	5	{"kind":"operator","step":"","since":1795012556976,"on":"its last 3 workers died; find out what its steps do to them, then retry or cancel it"}	\N	\N	api	parked	\N	0	0	1795012550022	\N	\N	937:937:	1795012556976
2	01a1ef15fa975a0123a328865d0bab58	default	wf_124bb2fd3d974a042ccbe324	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	waiting	t	f	0	\N	\N	1	0	3	{"kind":"approval","step":"ask","since":1795012557463}	\N	\N	api	approval	\N	0	0	1795012557463	\N	\N	986:986:	1795012557464
3	01a1ef15faa0a17e03ff3acdc37ca2b2	default	wf_124bb2fd3d974a042ccbe324	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	waiting	t	f	0	\N	\N	1	0	3	{"kind":"approval","step":"ask","since":1795012557472}	\N	\N	api	approval-rejected	\N	0	0	1795012557472	\N	\N	988:988:	1795012557472
4	01a1ef15faa8b8ab220aae9e586eb316	default	wf_124bb2fd3d974a042ccbe324	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	waiting	t	t	1	\N	\N	1	0	3	{"kind":"approval","step":"ask","since":1795012557480}	\N	\N	api	approval-inbox	\N	0	0	1795012557480	\N	\N	990:990:	1795012557481
5	01a1ef15fab1fb786e713d88cbe5539d	default	wf_b461656009fc6885c2b938a8	e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23	waiting	t	f	0	1795012647489	\N	1	0	3	{"kind":"timer","step":"rest","since":1795012557489,"until":1795012647489}	\N	\N	api	timer	\N	0	0	1795012557489	\N	\N	992:992:	1795012557491
6	01a1ef15fab861f5db93f04b088e0aa6	default	event	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	waiting	t	f	0	\N	\N	1	0	4	{"kind":"event","step":"paid","since":1795012557506,"on":"payment.*"}	\N	\N	api	event	\N	0	0	1795012557496	\N	\N	994:994:	1795012557506
8	01a1ef15fac57ecc5e669ef2ba3126c4	default	event	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	waiting	t	f	0	\N	\N	1	0	4	{"kind":"event","step":"paid","since":1795012557512,"on":"payment.*"}	\N	\N	api	cancelled-inbox	\N	0	0	1795012557509	\N	\N	998:998:	1795012557512
10	01a1ef15fad7c44d1e0905eccf5d4876	default	wf_a10a2e92a486a78500cd3feb	bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7	running	t	f	0	\N	vm-1196-f8ba5ea2	1	0	5	\N	\N	\N	api	loop	\N	0	0	1795012557527	\N	\N	1002:1002:	1795012557530
9	7fb237fa32be5d446d98b42f	default	event	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	waiting	t	f	0	\N	\N	1	0	4	{"kind":"event","step":"paid","since":1795012557560,"on":"payment.*"}	\N	\N	event	o4	\N	0	0	1795012557529	\N	\N	1000:1000:	1795012557560
7	01a1ef15fac1f08cdeed8b77217ef180	default	event	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	cancelled	t	f	0	\N	vm-1196-f8ba5ea2	2	0	7	\N	\N	{"message":"not wanted","category":"BUSINESS","code":"CANCELLED","retriable":false}	api	cancelled	\N	0	0	1795012557505	1795012557781	\N	996:996:	1795012557781
11	01a1ef15fae8a19e8d19c2db04c3fb0b	default	wf_5ab2a7d8bc148c3deae1a31a	3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019	running	t	f	0	\N	vm-1196-f8ba5ea2	1	0	2	\N	\N	\N	api	for-each	\N	0	0	1795012557544	\N	\N	1007:1007:	1795012557561
12	01a1ef15fb01353187c06a62048ec811	default	wf_367edf78191653f03b5892ef	6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8	failed	f	f	0	\N	\N	1	0	5	\N	\N	{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"}	api	failed	\N	0	0	1795012557569	1795012557588	\N	1010:1010:	1795012557588
13	01a1ef15fb1325e61665eb12390f5459	default	wf_367edf78191653f03b5892ef	6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8	failed	f	f	0	\N	\N	1	0	5	\N	\N	{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"}	api	failed-for-good	\N	0	0	1795012557587	1795012557599	\N	1013:1013:	1795012557599
14	01a1ef15fb1ee7cde8b966ee5f9a23b5	default	wf_33a6c05238527bdaaa7abdfc	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	completed	f	f	0	\N	\N	1	0	8	\N	{"n":1,"one":2,"left":20,"held":true}	\N	api	original	\N	0	0	1795012557598	1795012557609	\N	1017:1017:	1795012557609
15	01a1ef15fb2799f120461e8f48c4fec2	default	wf_a7652fb53f42ac0af014cf95	e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d	running	t	f	0	\N	\N	1	0	3	\N	\N	\N	api	parent	\N	0	0	1795012557607	\N	\N	1020:1020:	1795012557613
16	9243b8b3220c548443c03799	default	wf_124bb2fd3d974a042ccbe324	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	waiting	t	f	0	\N	\N	1	0	3	{"kind":"approval","step":"ask","since":1795012557607}	\N	\N	chain	parent	01a1ef15fb2799f120461e8f48c4fec2	3	1	1795012557607	\N	\N	1021:1021:	1795012557622
17	01a1ef15fb2c82c7d1e1ff8c6e4f7f3c	default	wf_205c32ed60b75666899ecccf	cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d	running	t	f	0	1795012618793	\N	1	0	4	\N	\N	\N	api	retried	\N	0	0	1795012557612	\N	\N	1026:1026:	1795012557625
19	01a1ef15fb4a221323a86db44f270261	default	parallel	d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053	running	t	f	0	\N	vm-1196-f8ba5ea2	1	0	4	\N	\N	\N	api	parallel	\N	0	0	1795012557642	\N	\N	1030:1030:	1795012557645
18	01a1ef15fb41e682d838e7a887c98dda	default	wf_f85c7b6f5da372a4859da450	925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64	completed	f	f	0	\N	\N	1	0	5	\N	{"length":27}	\N	api	secret	\N	0	0	1795012557633	1795012557659	\N	1029:1029:	1795012557659
20	01a1ef15fb560c58b0ca136cce0f30cc	default	wf_33a6c05238527bdaaa7abdfc	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	completed	f	f	0	\N	\N	2	0	9	\N	{"n":1,"one":7,"left":70,"held":true}	\N	api	original	01a1ef15fb1ee7cde8b966ee5f9a23b5	0	0	1795012557654	1795012557675	\N	1034:1034:	1795012557675
21	01a1ef15fb61ed4abd002e1eb2b15a2c	default	wf_33a6c05238527bdaaa7abdfc	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	running	t	f	0	\N	vm-1196-f8ba5ea2	1	0	5	\N	\N	\N	api	diamond	\N	0	0	1795012557665	\N	\N	1037:1037:	1795012557666
22	01a1ef15fb6be0bf1c44c9a3d9b379fc	default	wf_33a6c05238527bdaaa7abdfc	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	running	t	f	0	\N	vm-1196-f8ba5ea2	2	0	6	\N	\N	\N	api	original	01a1ef15fb1ee7cde8b966ee5f9a23b5	0	0	1795012557675	\N	\N	1040:1040:	1795012557675
23	01a1ef15fc70f879085489b27ec89eb3	default	wf_cc35820147a8c980e0fa3cdc	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	completed	f	f	0	\N	\N	1	0	4	\N	{"n":5,"got":5}	\N	api	rest	\N	0	0	1795012557936	1795012557947	\N	1050:1050:	1795012557947
24	01a1ef15fc9d461ebc3433f667989bb6	default	wf_cc35820147a8c980e0fa3cdc	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	completed	f	f	0	\N	\N	1	0	4	\N	{"n":6,"_trigger":{"type":"WEBHOOK_TRIGGER","depth":0,"firedAt":"2026-11-18T14:35:57.981Z"},"got":6}	\N	webhook	\N	\N	0	0	1795012557981	1795012557987	\N	1059:1059:	1795012557987
25	01a1ef1609e6fbca56b0628cc74f5ba9	default	wf_124bb2fd3d974a042ccbe324	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	pending	t	t	0	\N	\N	0	0	0	\N	\N	\N	api	pending-approval	\N	0	0	1795012561382	\N	{"at":1795012561382,"execution":"01a1ef1609e6fbca56b0628cc74f5ba9","input":{"amount":13},"trigger":"api","correlation_id":"pending-approval"}	1066:1066:	1795012561382
26	01a1ef1609eccb2b7d87f11d3ad8d023	default	wf_a10a2e92a486a78500cd3feb	bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7	pending	t	t	0	\N	\N	0	0	0	\N	\N	\N	api	pending	\N	0	0	1795012561388	\N	{"at":1795012561388,"execution":"01a1ef1609eccb2b7d87f11d3ad8d023","input":{"items":[5]},"trigger":"api","correlation_id":"pending"}	1067:1067:	1795012561388
\.


--
-- Data for Name: forgotten; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.forgotten (organization, pos) FROM stdin;
\.


--
-- Data for Name: history; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.history (pos, eid, seq, kind, scope, parts, data) FROM stdin;
15720251393	1	1	execution.started	\N	0	{"kind":"execution.started","at":1795012550022,"execution":"01a1ef15dd86ae6cdc5a092c28779a3d","workflow":"ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"parked","assigned":{"n":1},"flowing":true}
15720251394	1	2	step.completed	\N	0	{"kind":"step.completed","at":1795012550022,"step":0,"next":[1]}
15720251395	1	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012550022,"step":1,"input":{"context":{"n":1},"data":{},"nodeId":"boom"}}
15871246337	1	4	step.lost	\N	0	{"kind":"step.lost","at":1795012552261,"op":3,"attempt":1}
15988686849	1	5	step.lost	\N	0	{"kind":"step.lost","at":1795012554573,"op":3,"attempt":2}
16542334977	2	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557463,"execution":"01a1ef15fa975a0123a328865d0bab58","workflow":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a","input":{"amount":10},"entry":0,"trigger":"api","correlation_id":"approval","assigned":{"config":{"limit":100}}}
16542334978	2	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557463,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.463Z"}},"next":[1]}
16542334979	2	3	approval.opened	\N	0	{"kind":"approval.opened","at":1795012557463,"step":1,"request":{"amount":10},"asked":{"role":"finance","priority":"high","fixed":true}}
16575889409	3	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557472,"execution":"01a1ef15faa0a17e03ff3acdc37ca2b2","workflow":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a","input":{"amount":11},"entry":0,"trigger":"api","correlation_id":"approval-rejected","assigned":{"config":{"limit":100}}}
16575889410	3	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557472,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.472Z"}},"next":[1]}
16575889411	3	3	approval.opened	\N	0	{"kind":"approval.opened","at":1795012557472,"step":1,"request":{"amount":11},"asked":{"role":"finance","priority":"high","fixed":true}}
16609443841	4	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557480,"execution":"01a1ef15faa8b8ab220aae9e586eb316","workflow":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a","input":{"amount":12},"entry":0,"trigger":"api","correlation_id":"approval-inbox","assigned":{"config":{"limit":100}}}
16609443842	4	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557480,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.480Z"}},"next":[1]}
16609443843	4	3	approval.opened	\N	0	{"kind":"approval.opened","at":1795012557480,"step":1,"request":{"amount":12},"asked":{"role":"finance","priority":"high","fixed":true}}
16642998273	5	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557489,"execution":"01a1ef15fab1fb786e713d88cbe5539d","workflow":"e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23","input":{"name":"ada"},"entry":0,"trigger":"api","correlation_id":"timer","assigned":{"name":"ada"},"flowing":true}
16642998274	5	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557489,"step":0,"next":[1]}
16642998275	5	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557489,"step":1,"next":[2],"hold_until":1795012647489}
16676552705	6	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557496,"execution":"01a1ef15fab861f5db93f04b088e0aa6","workflow":"ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352","input":{"order":"o1"},"entry":0,"trigger":"api","correlation_id":"event"}
16676552706	6	2	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557496,"step":0,"input":{"order":"o1"}}
16710107137	6	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557506,"step":0,"op":2,"output":{"reservation":"r-o1"},"next":[1]}
16710107138	6	4	wait.opened	\N	0	{"kind":"wait.opened","at":1795012557506,"step":1,"pattern":"payment.*"}
16710107139	7	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557505,"execution":"01a1ef15fac1f08cdeed8b77217ef180","workflow":"ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352","input":{"order":"o2"},"entry":0,"trigger":"api","correlation_id":"cancelled"}
16710107140	7	2	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557505,"step":0,"input":{"order":"o2"}}
16743661569	7	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557509,"step":0,"op":2,"output":{"reservation":"r-o2"},"next":[1]}
16743661570	7	4	wait.opened	\N	0	{"kind":"wait.opened","at":1795012557509,"step":1,"pattern":"payment.*"}
16743661571	8	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557509,"execution":"01a1ef15fac57ecc5e669ef2ba3126c4","workflow":"ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352","input":{"order":"o3"},"entry":0,"trigger":"api","correlation_id":"cancelled-inbox"}
16743661572	8	2	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557509,"step":0,"input":{"order":"o3"}}
16777216002	8	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557512,"step":0,"op":2,"output":{"reservation":"r-o3"},"next":[1]}
16777216003	8	4	wait.opened	\N	0	{"kind":"wait.opened","at":1795012557512,"step":1,"pattern":"payment.*"}
16810770433	10	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557527,"execution":"01a1ef15fad7c44d1e0905eccf5d4876","workflow":"bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7","input":{"items":[1,2,3,4]},"entry":0,"trigger":"api","correlation_id":"loop","assigned":{"config":{}}}
16810770434	10	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557527,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.527Z"}},"next":[1]}
16810770435	10	3	loop.opened	\N	1	{"kind":"loop.opened","at":1795012557527,"step":1,"items":[],"batch_size":1}
16810770436	10	4	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795012557527,"step":1,"scope":3,"start":0,"next":[2]}
16810770437	10	5	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557527,"step":2,"input":{"n":1}}
17028874244	11	8	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557587,"step":1,"input":{"n":3},"scope":4,"item":2}
16861102081	9	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557529,"execution":"7fb237fa32be5d446d98b42f","workflow":"ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352","input":{"order":"o4"},"entry":0,"trigger":"event","trigger_data":{"id":"placed-4","type":"order.placed","source":"","at":1795012557512,"correlationId":null,"payload":{"order":"o4"}},"event_id":"placed-4","correlation_id":"o4"}
16861102082	9	2	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557529,"step":0,"input":{"order":"o4"}}
16894656513	9	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557560,"step":0,"op":2,"output":{"reservation":"r-o4"},"next":[1]}
16894656514	9	4	wait.opened	\N	0	{"kind":"wait.opened","at":1795012557560,"step":1,"pattern":"payment.*"}
16894656515	10	6	step.completed	\N	0	{"kind":"step.completed","at":1795012557544,"step":2,"op":5,"output":{"n":2.0},"port":"success","assigned":{"last":2.0},"again":[1]}
16894656516	10	7	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795012557544,"step":1,"scope":3,"start":1,"next":[2]}
16894656517	10	8	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557544,"step":2,"input":{"n":2}}
16894656518	11	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557544,"execution":"01a1ef15fae8a19e8d19c2db04c3fb0b","workflow":"3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019","input":{"items":[1,-1,2,3,4]},"entry":0,"trigger":"api","correlation_id":"for-each"}
16894656519	11	2	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557544,"step":0,"input":{"items":[1,-1,2,3,4]}}
16928210945	10	9	step.completed	\N	0	{"kind":"step.completed","at":1795012557569,"step":2,"op":8,"output":{"n":4.0},"port":"success","assigned":{"last":4.0},"again":[1]}
16928210946	10	10	loop.ticked	\N	0	{"kind":"loop.ticked","at":1795012557569,"step":1,"scope":3,"start":2,"next":[2]}
16928210947	10	11	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557569,"step":2,"input":{"n":3}}
16944988161	11	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557575,"step":0,"op":2,"output":{"items":[1,2,3,4]},"next":[1]}
16944988162	11	4	foreach.opened	\N	1	{"kind":"foreach.opened","at":1795012557575,"step":1,"items":[]}
16944988163	11	5	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557575,"step":1,"input":{"n":1},"scope":4,"item":0}
16944988164	11	6	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557575,"step":1,"input":{"n":2},"scope":4,"item":1}
16944988165	12	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557569,"execution":"01a1ef15fb01353187c06a62048ec811","workflow":"6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"failed","assigned":{"config":{}}}
16944988166	12	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557569,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.569Z"}},"next":[1]}
16944988167	12	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557569,"step":1,"input":{"n":1}}
16995319809	12	4	step.failed	\N	0	{"kind":"step.failed","at":1795012557588,"step":1,"error":{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"},"op":3}
16995319810	12	5	execution.failed	\N	0	{"kind":"execution.failed","at":1795012557588,"error":{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"},"steps":[1]}
16995319811	13	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557587,"execution":"01a1ef15fb1325e61665eb12390f5459","workflow":"6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8","input":{"n":2},"entry":0,"trigger":"api","correlation_id":"failed-for-good","assigned":{"config":{}}}
16995319812	13	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557587,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.587Z"}},"next":[1]}
16995319813	13	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557587,"step":1,"input":{"n":2}}
17028874241	13	4	step.failed	\N	0	{"kind":"step.failed","at":1795012557599,"step":1,"error":{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"},"op":3}
17028874242	13	5	execution.failed	\N	0	{"kind":"execution.failed","at":1795012557599,"error":{"message":"broken on purpose","category":"PERMANENT","code":"FRAGILE","retriable":false,"stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 107, in perform\\n    answer = await call(task, command.input, None, self._threads)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 216, in fragile\\n    raise NonRetryable(\\"broken on purpose\\", code=\\"FRAGILE\\")\\n","exception":"NonRetryable"},"steps":[1]}
17028874243	11	7	item.completed	4	0	{"kind":"item.completed","at":1795012557587,"step":1,"scope":4,"item":0,"op":5,"output":{"n":2.0}}
17028874245	11	9	item.completed	4	0	{"kind":"item.completed","at":1795012557587,"step":1,"scope":4,"item":1,"op":6,"output":{"n":4.0}}
17028874246	11	10	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557587,"step":1,"input":{"n":4},"scope":4,"item":3}
17062428673	14	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557598,"execution":"01a1ef15fb1ee7cde8b966ee5f9a23b5","workflow":"14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"original","assigned":{"n":1},"flowing":true}
17062428674	14	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":0,"next":[1]}
17062428675	14	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":1,"output":{"one":2},"assigned":{"one":2},"next":[2,3]}
17062428676	14	4	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":2,"output":{"left":20},"assigned":{"left":20},"next":[4]}
17062428677	14	5	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557598,"step":3,"input":{"context":{"n":1,"one":2},"data":{},"nodeId":"right"}}
17095983105	14	6	step.completed	\N	0	{"kind":"step.completed","at":1795012557609,"step":3,"op":5,"assigned":{"held":true},"next":[4]}
17095983106	14	7	step.completed	\N	0	{"kind":"step.completed","at":1795012557609,"step":4}
17095983107	14	8	execution.completed	\N	0	{"kind":"execution.completed","at":1795012557609,"output":{"n":1,"one":2,"left":20,"held":true}}
17129537537	15	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557607,"execution":"01a1ef15fb2799f120461e8f48c4fec2","workflow":"e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d","input":{"amount":20},"entry":0,"trigger":"api","correlation_id":"parent","assigned":{"config":{}}}
17129537538	15	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557607,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.607Z"}},"next":[1]}
17129537539	15	3	child.started	\N	0	{"kind":"child.started","at":1795012557607,"step":1,"child":"9243b8b3220c548443c03799","workflow":"approval","digest":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a","input":{"amount":20}}
17179869185	16	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557607,"execution":"9243b8b3220c548443c03799","workflow":"cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a","input":{"amount":20},"entry":0,"trigger":"chain","correlation_id":"parent","parent":"01a1ef15fb2799f120461e8f48c4fec2","depth":1,"assigned":{"config":{"limit":100}}}
17179869186	16	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557607,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.607Z"}},"next":[1]}
17179869187	16	3	approval.opened	\N	0	{"kind":"approval.opened","at":1795012557607,"step":1,"request":{"amount":20},"asked":{"role":"finance","priority":"high","fixed":true}}
17213423617	17	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557612,"execution":"01a1ef15fb2c82c7d1e1ff8c6e4f7f3c","workflow":"cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"retried","assigned":{"n":1},"flowing":true}
17213423618	17	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557612,"step":0,"next":[1]}
17213423619	17	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557612,"step":1,"input":{"context":{"n":1},"data":{"retry":{"maxAttempts":3,"backoffMs":60000}},"nodeId":"flaky"}}
17246978049	17	4	step.retrying	\N	0	{"kind":"step.retrying","at":1795012557633,"op":3,"attempt":2,"due_at":1795012618793,"error":{"message":"not yet","category":"TRANSIENT","code":"Retryable","stack":"  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 105, in perform\\n    answer = await self._attempted(execution, command, task, command.input, None)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/hosts/performing.py\\", line 163, in _attempted\\n    return await call(task, given, context, self._threads, attempt.abandon)\\n           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/work/wt/base/src/perdure/tasks/calling.py\\", line 55, in call\\n    answer = await task.function(*arguments)\\n             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\\n  File \\"/tmp/writer.py\\", line 206, in flaky\\n    raise Retryable(\\"not yet\\")\\n","exception":"Retryable"}}
17263755265	18	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557633,"execution":"01a1ef15fb41e682d838e7a887c98dda","workflow":"925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64","input":{},"entry":0,"trigger":"api","correlation_id":"secret","assigned":{"config":{}}}
17263755266	18	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557633,"step":0,"output":"Trigger executed successfully","port":"success","meta":{"trigger":{"type":"manual","receivedAt":"2026-11-18T14:35:57.633Z"}},"next":[1]}
17263755267	18	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557633,"step":1,"input":{"token":"Bearer ***"},"sealed":{"/token":["Bearer ",{"secret":"CRM_KEY"}]}}
17280532481	19	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557642,"execution":"01a1ef15fb4a221323a86db44f270261","workflow":"d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053","input":{"order":"o9"},"entry":0,"trigger":"api","correlation_id":"parallel"}
17280532482	19	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557642,"step":0,"next":[2,3]}
17280532483	19	3	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557642,"step":2,"input":{"order":"o9"}}
17280532484	19	4	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557642,"step":3,"input":{"order":"o9"}}
17297309697	19	5	step.completed	\N	0	{"kind":"step.completed","at":1795012557648,"step":2,"op":3,"output":{"reservation":"r-o9"},"next":[1]}
17330864129	18	4	step.completed	\N	0	{"kind":"step.completed","at":1795012557659,"step":1,"op":3,"output":{"length":27},"port":"success"}
17330864130	18	5	execution.completed	\N	0	{"kind":"execution.completed","at":1795012557659,"output":{"length":27}}
17347641345	20	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557598,"execution":"01a1ef15fb1ee7cde8b966ee5f9a23b5","workflow":"14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"original","assigned":{"n":1},"flowing":true}
17347641346	20	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":0,"next":[1]}
17347641347	20	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":1,"output":{"one":2},"assigned":{"one":2},"next":[2,3]}
17347641349	20	4	execution.forked	\N	0	{"kind":"execution.forked","at":1795012557654,"execution":"01a1ef15fb560c58b0ca136cce0f30cc","origin":"01a1ef15fb1ee7cde8b966ee5f9a23b5","assigned":{"one":7},"flowing":true}
17397972993	21	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557665,"execution":"01a1ef15fb61ed4abd002e1eb2b15a2c","workflow":"14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7","input":{"n":100},"entry":0,"trigger":"api","correlation_id":"diamond","assigned":{"n":100},"flowing":true}
17397972994	21	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557665,"step":0,"next":[1]}
17397972995	21	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557665,"step":1,"output":{"one":101},"assigned":{"one":101},"next":[2,3]}
17397972996	21	4	step.completed	\N	0	{"kind":"step.completed","at":1795012557665,"step":2,"output":{"left":1010},"assigned":{"left":1010},"next":[4]}
17397972997	21	5	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557665,"step":3,"input":{"context":{"n":100,"one":101},"data":{},"nodeId":"right"}}
17397972998	20	5	step.completed	\N	0	{"kind":"step.completed","at":1795012557654,"step":2,"output":{"left":70},"assigned":{"left":70},"next":[4]}
17397972999	20	6	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557654,"step":3,"input":{"context":{"n":1,"one":7},"data":{},"nodeId":"right"}}
17431527425	20	7	step.completed	\N	0	{"kind":"step.completed","at":1795012557675,"step":3,"op":6,"assigned":{"held":true},"next":[4]}
17431527426	20	8	step.completed	\N	0	{"kind":"step.completed","at":1795012557675,"step":4}
17431527427	20	9	execution.completed	\N	0	{"kind":"execution.completed","at":1795012557675,"output":{"n":1,"one":7,"left":70,"held":true}}
17448304641	22	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557598,"execution":"01a1ef15fb1ee7cde8b966ee5f9a23b5","workflow":"14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7","input":{"n":1},"entry":0,"trigger":"api","correlation_id":"original","assigned":{"n":1},"flowing":true}
17448304642	22	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":0,"next":[1]}
17448304643	22	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":1,"output":{"one":2},"assigned":{"one":2},"next":[2,3]}
17448304644	22	4	step.completed	\N	0	{"kind":"step.completed","at":1795012557598,"step":2,"output":{"left":20},"assigned":{"left":20},"next":[4]}
17448304646	22	5	execution.forked	\N	0	{"kind":"execution.forked","at":1795012557675,"execution":"01a1ef15fb6be0bf1c44c9a3d9b379fc","origin":"01a1ef15fb1ee7cde8b966ee5f9a23b5","assigned":{"n":100},"flowing":true}
17498636289	22	6	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557675,"step":3,"input":{"context":{"one":2,"n":100},"data":{},"nodeId":"right"}}
17548967937	7	5	execution.cancelled	\N	0	{"kind":"execution.cancelled","at":1795012557771,"reason":"not wanted","by":"ed","source":"USER","compensate":true}
17548967938	7	6	compensation.planned	\N	0	{"kind":"compensation.planned","at":1795012557771,"plan":[[3,0]]}
17548967939	7	7	step.scheduled	\N	0	{"kind":"step.scheduled","at":1795012557771,"step":3,"input":{"reservation":"r-o2"},"undoes":0}
17616076801	23	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557936,"execution":"01a1ef15fc70f879085489b27ec89eb3","workflow":"2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df","organization":"default","input":{"n":5},"entry":0,"trigger":"api","correlation_id":"rest","assigned":{"n":5},"flowing":true,"by":"root"}
17616076802	23	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557936,"step":0,"next":[1]}
17616076803	23	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557936,"step":1,"output":{"got":5},"assigned":{"got":5}}
17616076804	23	4	execution.completed	\N	0	{"kind":"execution.completed","at":1795012557936,"output":{"n":5,"got":5}}
17767071745	24	1	execution.started	\N	0	{"kind":"execution.started","at":1795012557981,"execution":"01a1ef15fc9d461ebc3433f667989bb6","workflow":"2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df","organization":"default","input":{"n":6},"entry":0,"trigger":"webhook","trigger_data":{"webhook":{"id":"wh_02bee968acbd8e0a","node":"hook","signed":false,"deliveryId":"delivery-1"},"method":"POST","headers":{"host":"127.0.0.1:35463","accept":"*/*","accept-encoding":"gzip, deflate","connection":"keep-alive","user-agent":"python-httpx2/2.16.0","idempotency-key":"delivery-1","content-length":"7","content-type":"application/json"},"query":{},"body":{"n":6}},"assigned":{"n":6},"flowing":true}
17767071746	24	2	step.completed	\N	0	{"kind":"step.completed","at":1795012557981,"step":0,"assigned":{"_trigger":{"type":"WEBHOOK_TRIGGER","depth":0,"firedAt":"2026-11-18T14:35:57.981Z"}},"next":[1]}
17767071747	24	3	step.completed	\N	0	{"kind":"step.completed","at":1795012557981,"step":1,"output":{"got":6},"assigned":{"got":6}}
17767071748	24	4	execution.completed	\N	0	{"kind":"execution.completed","at":1795012557981,"output":{"n":6,"_trigger":{"type":"WEBHOOK_TRIGGER","depth":0,"firedAt":"2026-11-18T14:35:57.981Z"},"got":6}}
\.


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.idempotency (organization, key, execution) FROM stdin;
default	parked	01a1ef15dd86ae6cdc5a092c28779a3d
default	key-approval	01a1ef15fa975a0123a328865d0bab58
default	key-approval-rejected	01a1ef15faa0a17e03ff3acdc37ca2b2
default	key-approval-inbox	01a1ef15faa8b8ab220aae9e586eb316
default	key-timer	01a1ef15fab1fb786e713d88cbe5539d
default	key-event	01a1ef15fab861f5db93f04b088e0aa6
default	key-cancelled	01a1ef15fac1f08cdeed8b77217ef180
default	key-cancelled-inbox	01a1ef15fac57ecc5e669ef2ba3126c4
default	key-loop	01a1ef15fad7c44d1e0905eccf5d4876
default	key-for-each	01a1ef15fae8a19e8d19c2db04c3fb0b
default	key-failed	01a1ef15fb01353187c06a62048ec811
default	key-failed-for-good	01a1ef15fb1325e61665eb12390f5459
default	key-original	01a1ef15fb1ee7cde8b966ee5f9a23b5
default	key-parent	01a1ef15fb2799f120461e8f48c4fec2
default	key-retried	01a1ef15fb2c82c7d1e1ff8c6e4f7f3c
default	key-secret	01a1ef15fb41e682d838e7a887c98dda
default	key-parallel	01a1ef15fb4a221323a86db44f270261
default	again:6222f3dc31542c0f3a8f933c	01a1ef15fb560c58b0ca136cce0f30cc
default	key-diamond	01a1ef15fb61ed4abd002e1eb2b15a2c
default	again:aa7c208d7bf120455f542c3e	01a1ef15fb6be0bf1c44c9a3d9b379fc
default	rest-start	01a1ef15fc70f879085489b27ec89eb3
default	webhook:wh_02bee968acbd8e0a:delivery-1	01a1ef15fc9d461ebc3433f667989bb6
default	key-pending	01a1ef1609e6fbca56b0628cc74f5ba9
default	key-pending-2	01a1ef1609eccb2b7d87f11d3ad8d023
\.


--
-- Data for Name: inbox; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.inbox (pos, eid, data) FROM stdin;
17867735041	4	{"kind":"approval.decided","at":1795012561368,"op":3,"decision":"approve","by":"ann","comments":"decided while no worker lived"}
\.


--
-- Data for Name: key_uses; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.key_uses (organization, id, at) FROM stdin;
default	1wsut1bbne	1795012557943
\.


--
-- Data for Name: leavings; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.leavings (eid) FROM stdin;
\.


--
-- Data for Name: models; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.models (digest, data, dialect) FROM stdin;
ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3	\\x7b226e616d65223a227061726b6564222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b22626f6f6d225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a22626f6f6d222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a226e6f64653a4558504c4f4445222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e74657874227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2264617461227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e6f64654964227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22626f6f6d227d5d5d7d2c227265747279223a7b7d7d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e736574227d2c22756e61737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e756e736574227d2c2270617573655f756e74696c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e6f77202b206f75747075742e77616974202a2031303030203e206f75747075742e756e74696c203f206e6f77202b206f75747075742e77616974202a2031303030203a206f75747075742e756e74696c227d2c2270617573655f6c6162656c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e6c6162656c227d2c226b6565705f6f7574707574223a66616c73657d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f303632383735346263636534376533383638356565393636272c20277061726b6564275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d7d	graph
cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	\\x7b226e616d65223a22617070726f76616c222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b2261736b225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b2261736b225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a2261736b222c22776f726b223a7b226b696e64223a22617070726f76616c222c2272657175657374223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22616d6f756e74227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e616d6f756e74227d5d5d7d2c22726f6c65223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2266696e616e6365227d2c2264657461696c73223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a227072696f72697479227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2268696768227d5d5d7d2c226669786564223a747275657d2c22726f75746573223a5b7b22746f223a5b22726573756c74225d2c22706f7274223a22617070726f766564227d2c7b22746f223a5b226465636c696e6564225d2c22706f7274223a2272656a6563746564227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a226f6e417070726f7665227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a22617070726f7665227d2c7b22746f223a5b226465636c696e6564225d2c22706f7274223a226f6e52656a656374227d2c7b22746f223a5b226465636c696e6564225d2c22706f7274223a2272656a656374227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a226465636c696e6564222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2270616964227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a66616c73657d5d5d7d7d2c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d2c7b226964223a22726573756c74222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2270616964227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a747275657d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22616d6f756e74227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b2761736b275d2e6f75747075742e7375626d6974746564446174612e616d6f756e74227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226c696d6974227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e616d65732e6c696d6974227d5d5d7d7d2c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b226c696d6974223a3130307d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b276465636c696e6564272c2027726573756c74275d2e696e636c75646573286c61746573742e7374657029203f206c61746573742e6f7574707574203a205b5b73746570735b276465636c696e6564275d2c2073746570735b27726573756c74275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c295d2e6d61702862657374203d3e2062657374203d3d206e756c6c203f206c61746573742e6f7574707574203a20626573742e6f7574707574295b305d29227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d2c227772697474656e223a5b5b2273746570735b2761736b275d2e6f75747075742e7375626d6974746564446174612e616d6f756e74222c2273746570732e61736b2e6f75747075742e646174612e7375626d6974746564446174612e616d6f756e74225d2c5b226e616d65732e6c696d6974222c226c696d6974225d5d7d	ports
09e240f3579f964a03179154a739658f28afbae9f8873545db5a44eb8071df10	\\x7b226e616d65223a2274696d6572222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b2272657374225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a2272657374222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b226c617465225d7d5d2c2270617573655f756e74696c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e6f774d73202b203930303030227d7d2c7b226964223a226c617465222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b22776f6b656e222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6e616d65227d5d5d7d7d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f623436313635363030396663363838356332623933386138272c202774696d6572275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d2c227772697474656e223a5b5b22766172732e6e616d65222c226e616d65225d5d7d	graph
ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	\\x7b226e616d65223a226576656e74222c227374657073223a5b7b226964223a2272657365727665222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2273746f636b2e72657365727665222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226f72646572227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6f72646572227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b2270616964225d7d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a2270616964222c22776f726b223a7b226b696e64223a226576656e74222c227061747465726e223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a227061796d656e742e2a227d2c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e6f72646572203d3d3d20696e7075742e6f72646572227d2c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d6574686f64227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e7061796d656e742e6d6574686f64227d5d5d7d7d2c22726f75746573223a5b7b22746f223a5b2273686970225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f7574707574227d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a2273686970222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2270617263656c2e73656e64222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226f72646572227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6f72646572227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d6574686f64227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6d6574686f64227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b7d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a2272656c65617365222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2273746f636b2e72656c65617365222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a227265736572766174696f6e227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22756e646f6e652e6f75747075742e7265736572766174696f6e227d5d5d7d2c227265747279223a7b7d7d7d5d2c22656e7472696573223a5b7b2273746570223a2272657365727665227d5d2c22737461727473223a5b7b227061747465726e223a226f726465722e706c61636564222c22636f7272656c6174696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e6f72646572227d7d5d2c2263616e63656c73223a5b7b227061747465726e223a226f726465722e63616e63656c6c6564222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e6f72646572203d3d3d20696e7075742e6f72646572227d2c22726561736f6e223a2263616c6c6564206f6666227d5d2c22636f6d70656e736174696f6e73223a5b7b226f66223a2272657365727665222c226279223a2272656c65617365227d5d2c227772697474656e223a5b5b22756e646f6e652e6f75747075742e7265736572766174696f6e222c226f75747075742e7265736572766174696f6e225d2c5b22696e7075742e6f72646572222c22776f726b666c6f772e696e7075742e6f72646572225d2c5b226576656e742e7061796c6f61642e6f72646572203d3d3d20696e7075742e6f72646572222c226576656e742e7061796c6f61642e6f72646572203d3d3d20776f726b666c6f772e696e7075742e6f72646572225d2c5b22766172732e6d6574686f64222c227661726961626c65732e6d6574686f64225d5d7d	orchestration
bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7	\\x7b226e616d65223a226c6f6f70222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b2265616368225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b2265616368225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a2265616368222c22776f726b223a7b226b696e64223a226c6f6f70222c226974656d73223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6974656d73227d2c22697465726174696f6e735f6d6178223a313030307d2c22726f75746573223a5b7b22746f223a5b22776f726b225d2c22706f7274223a226c6f6f70227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a22646f6e65227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d2c7b226964223a22776f726b222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a22646f75626c65222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22286c6f63616c2e6974656d20213d3d20756e646566696e6564203f206c6f63616c2e6974656d203a20285b2765616368275d2e696e636c75646573286c6f6f702e6f776e657229202626206c6f6f702e626174636820213d206e756c6c203f20286c6f6f702e6974656d203d3d3d20756e646566696e6564203f206c6f6f702e62617463682e6974656d73203a206c6f6f702e6974656d29203a206e616d65732e6974656d2929227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b2265616368225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b2265616368225d2c22706f7274223a226f6e53756363657373227d5d2c2261737369676e223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226c617374227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e6e227d5d5d7d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d2c7b226964223a22726573756c74222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f756e74227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b2765616368275d2e6f75747075742e73746174652e746f74616c4974656d73227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226c617374227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e616d65732e6c617374227d5d5d7d7d2c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b27726573756c74275d2e696e636c75646573286c61746573742e7374657029203f206c61746573742e6f7574707574203a205b5b73746570735b27726573756c74275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c295d2e6d61702862657374203d3e2062657374203d3d206e756c6c203f206c61746573742e6f7574707574203a20626573742e6f7574707574295b305d29227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d2c227772697474656e223a5b5b22286c6f63616c2e6974656d20213d3d20756e646566696e6564203f206c6f63616c2e6974656d203a20285b2765616368275d2e696e636c75646573286c6f6f702e6f776e657229202626206c6f6f702e626174636820213d206e756c6c203f20286c6f6f702e6974656d203d3d3d20756e646566696e6564203f206c6f6f702e62617463682e6974656d73203a206c6f6f702e6974656d29203a206e616d65732e6974656d2929222c226974656d225d2c5b2273746570735b2765616368275d2e6f75747075742e73746174652e746f74616c4974656d73222c2273746570732e656163682e6f75747075742e646174612e73746174652e746f74616c4974656d73225d2c5b226e616d65732e6c617374222c226c617374225d2c5b226f75747075742e6e222c22646174612e6e225d5d7d	ports
3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019	\\x7b226e616d65223a22666f722d65616368222c227374657073223a5b7b226964223a227069636b222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a22706572647572652e7472616e73666f726d222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226974656d73227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075745b5c226974656d735c225d227d5d5d7d2c227365747570223a7b22636f6465223a223b202020202020202020202020202020202020202020202020202020202020202020205c6e3b20202020202020202020202020202020202020202020202020202020202020202020205c6e66756e6374696f6e202464656661756c742020202020202028696e70757420202020202020292020202020202020207b2072657475726e207b206974656d733a20696e7075742e6974656d732e66696c74657228286e29203d3e206e203e203029207d207d227d7d2c22726f75746573223a5b7b22746f223a5b22776f726b225d7d5d2c227761726e5f756e646566696e6564223a747275657d2c7b226964223a22776f726b222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a22646f75626c65222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226974656d227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b2273756d225d7d5d2c2265616368223a7b226974656d73223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b277069636b275d2e6f75747075745b5c226974656d735c225d227d2c22636f6e63757272656e6379223a322c226974656d735f6d6178223a3130307d2c227761726e5f756e646566696e6564223a747275657d2c7b226964223a2273756d222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a22706572647572652e7472616e73666f726d222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22726f7773227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b27776f726b275d2e6f7574707574227d5d5d7d2c227365747570223a7b22636f6465223a223b202020202020202020202020202020202020202020202020202020202020202020202020202020205c6e3b202020202020202020202020202020202020202020202020202020202020205c6e66756e6374696f6e202464656661756c742020202020202028696e70757420202020202020292020202020202020207b2072657475726e207b2073756d3a20696e7075742e726f77732e726564756365282873756d2c20726f7729203d3e2073756d202b20726f772e6e2c203029207d207d227d7d2c22726f75746573223a5b7b7d5d2c227761726e5f756e646566696e6564223a747275657d5d2c22656e7472696573223a5b7b2273746570223a227069636b227d5d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b2773756d275d2e6f7574707574227d2c226f6e5f6661696c757265223a22647261696e222c226e616d65735f6661696c6564223a747275652c227772697474656e223a5b5b22696e7075745b5c226974656d735c225d222c2240696e7075742e6974656d73225d2c5b2273746570735b277069636b275d2e6f75747075745b5c226974656d735c225d222c22407069636b2e6f75747075742e6974656d73225d2c5b226974656d222c22406e225d2c5b2273746570735b27776f726b275d2e6f7574707574222c2240776f726b2e6f7574707574225d5d2c22696e7075745f736368656d61223a7b2274797065223a226f626a656374222c227265717569726564223a5b226974656d73225d7d2c22736368656d6173223a7b227069636b223a7b22696e707574223a7b2274797065223a226f626a656374222c2270726f70657274696573223a7b226974656d73223a7b2274797065223a226172726179222c226974656d73223a7b2274797065223a226e756d626572227d7d7d2c227265717569726564223a5b226974656d73225d7d2c226f7574707574223a7b2274797065223a226f626a656374222c2270726f70657274696573223a7b226974656d73223a7b2274797065223a226172726179222c226974656d73223a7b2274797065223a226e756d626572227d7d7d2c227265717569726564223a5b226974656d73225d7d7d2c22776f726b223a7b22696e707574223a7b2274797065223a226f626a656374222c226164646974696f6e616c50726f70657274696573223a7b2274797065223a226e756d626572227d7d2c226f7574707574223a7b2274797065223a226172726179222c226974656d73223a7b2274797065223a226f626a656374222c226164646974696f6e616c50726f70657274696573223a7b2274797065223a226e756d626572227d7d7d7d2c2273756d223a7b22696e707574223a7b2274797065223a226f626a656374222c2270726f70657274696573223a7b22726f7773223a7b2274797065223a226172726179222c226974656d73223a7b2274797065223a226f626a656374222c2270726f70657274696573223a7b226e223a7b2274797065223a226e756d626572227d7d2c227265717569726564223a5b226e225d7d7d7d2c227265717569726564223a5b22726f7773225d7d2c226f7574707574223a7b2274797065223a226f626a656374222c2270726f70657274696573223a7b2273756d223a7b2274797065223a226e756d626572227d7d2c227265717569726564223a5b2273756d225d7d7d7d7d	phases
6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8	\\x7b226e616d65223a226661696c6564222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b22776f726b225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b22776f726b225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a22776f726b222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2266726167696c65222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6e227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22706f7274223a2273756363657373227d2c7b22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226c61746573742e6f7574707574227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d7d	ports
14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	\\x7b226e616d65223a22666f726b6564222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b226f6e65225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a226f6e65222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b226f6e65222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6e202b2031227d5d5d7d2c22726f75746573223a5b7b22746f223a5b226c656674222c227269676874225d7d5d7d2c7b226964223a226c656674222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b226c656674222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6f6e65202a203130227d5d5d7d2c22726f75746573223a5b7b22746f223a5b22626f7468225d7d5d7d2c7b226964223a227269676874222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a226e6f64653a484f4c44222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e74657874227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2264617461227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e6f64654964227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a227269676874227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b22626f7468225d2c22706f7274223a226d61696e227d5d2c22706f727473223a5b7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22706f7274207c7c20276d61696e27227d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e736574227d2c22756e61737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e756e736574227d2c2270617573655f756e74696c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e6f77202b206f75747075742e77616974202a2031303030203e206f75747075742e756e74696c203f206e6f77202b206f75747075742e77616974202a2031303030203a206f75747075742e756e74696c227d2c2270617573655f6c6162656c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e6c6162656c227d2c226b6565705f6f7574707574223a66616c73657d2c7b226964223a22626f7468222c22776f726b223a7b226b696e64223a22636f6d70757465227d7d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f333361366330353233383532376264616161376162646663272c2027666f726b6564275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d2c227772697474656e223a5b5b22766172732e6e202b2031222c226e202b2031225d2c5b22766172732e6f6e65202a203130222c226f6e65202a203130225d5d7d	graph
e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d	\\x7b226e616d65223a22706172656e74222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b226368696c64225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b226368696c64225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a226368696c64222c22776f726b223a7b226b696e64223a226368696c64222c22776f726b666c6f77223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22617070726f76616c227d2c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22616d6f756e74227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e616d6f756e74227d5d5d7d7d2c22726f75746573223a5b7b22746f223a5b22726573756c74225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b22726573756c74225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d2c7b226964223a22726573756c74222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226368696c64227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226c61746573742e6f7574707574227d5d5d7d7d2c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b27726573756c74275d2e696e636c75646573286c61746573742e7374657029203f206c61746573742e6f7574707574203a205b5b73746570735b27726573756c74275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c295d2e6d61702862657374203d3e2062657374203d3d206e756c6c203f206c61746573742e6f7574707574203a20626573742e6f7574707574295b305d29227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d2c227772697474656e223a5b5b226c61746573742e6f7574707574222c226c6173744f75747075742e64617461225d5d7d	ports
cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d	\\x7b226e616d65223a2272657472696564222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b22666c616b79225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a22666c616b79222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a226e6f64653a464c414b59222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e74657874227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2264617461227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b227265747279223a7b226d6178417474656d707473223a332c226261636b6f66664d73223a36303030307d7d7d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226e6f64654964227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22666c616b79227d5d5d7d2c227265747279223a7b22617474656d7074735f6d6178223a332c2264656c61795f6d73223a36303030307d7d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e736574227d2c22756e61737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e756e736574227d2c2270617573655f756e74696c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e6f77202b206f75747075742e77616974202a2031303030203e206f75747075742e756e74696c203f206e6f77202b206f75747075742e77616974202a2031303030203a206f75747075742e756e74696c227d2c2270617573655f6c6162656c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226f75747075742e6c6162656c227d2c226b6565705f6f7574707574223a66616c73657d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f323035633332656436306237353636363839396563636366272c202772657472696564275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d7d	graph
925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64	\\x7b226e616d65223a22736563726574222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22746f223a5b22757365225d2c22706f7274223a2273756363657373227d2c7b22746f223a5b22757365225d2c22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d616e75616c227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d2c7b226964223a22757365222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a227573655f736563726574222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22746f6b656e227d2c7b226b696e64223a2274657874222c227061727473223a5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2242656172657220227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22736563726574732e43524d5f4b4559227d5d7d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22706f7274223a2273756363657373227d2c7b22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373227d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226c61746573742e6f7574707574227d2c22646561646c696e655f706175736573223a747275652c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d7d	ports
2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	\\x7b226e616d65223a22686f6f6b6564222c227374657073223a5b7b226964223a22686f6f6b222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b22736574225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a22736574222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b22676f74222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6e227d5d5d7d7d5d2c22656e7472696573223a5b7b2273746570223a22686f6f6b227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f636333353832303134376138633938306530666133636463272c2027686f6f6b6564275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d2c227772697474656e223a5b5b22766172732e6e222c226e225d5d7d	graph
52c31bc364e0f9ee2eb4e8d5025a2d68217d7a2752b4b611da74df54ef5aeb8c	\\x7b226e616d65223a22796561726c79222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2254726967676572206578656375746564207375636365737366756c6c79227d7d2c22726f75746573223a5b7b22706f7274223a2273756363657373227d2c7b22706f7274223a226f6e53756363657373227d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79222c22706f7274223a2273756363657373222c226d657461223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274726967676572227d2c7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2274797065227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a227363686564756c65227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2272656365697665644174227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22657865637574696f6e2e7374617274656441747c69736f44617465227d5d5d7d5d5d7d7d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c22696e697469616c223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a22636f6e666967227d2c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a7b7d7d5d5d7d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226c61746573742e6f7574707574227d2c22646561646c696e655f706175736573223a747275652c227363686564756c6573223a5b7b226964223a227374617274222c2263726f6e223a2230203620312031202a222c2274696d657a6f6e65223a224575726f70652f4265726c696e222c2263617463685f7570223a226e6f6e65227d5d2c226c6f6f6b7570223a5b5b226c6f63616c225d2c5b2276617273225d2c5b2276617273222c22636f6e666967225d2c5b22696e707574225d2c5b226c6174657374222c226f7574707574225d5d7d	ports
d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053	\\x7b226e616d65223a22706172616c6c656c222c227374657073223a5b7b226964223a2266616e2f6272616e63686573222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b226669727374222c227365636f6e64225d7d5d2c226a6f696e223a22616e79222c22706172745f6f66223a2266616e227d2c7b226964223a2266616e222c22776f726b223a7b226b696e64223a22636f6d70757465222c226f7574707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2261227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b73746570735b276669727374275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c292e6f7574707574203f3f206e756c6c29227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a2262227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22285b73746570735b277365636f6e64275d5d2e7265647563652828626573742c206f6e6529203d3e206f6e653f2e737461747573203d3d3d2027636f6d706c6574656427202626202862657374203d3d206e756c6c207c7c206f6e652e6174203e3d20626573742e617429203f206f6e65203a20626573742c206e756c6c292e6f7574707574203f3f206e756c6c29227d5d5d7d7d2c22726f75746573223a5b7b22746f223a5b226a6f696e225d7d5d2c22756e726f75746564223a227761726e227d2c7b226964223a226669727374222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2273746f636b2e72657365727665222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226f72646572227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6f72646572227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b2266616e225d7d5d2c226a6f696e223a22616e79227d2c7b226964223a227365636f6e64222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2268656c64222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226f72646572227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6f72646572227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b22746f223a5b2266616e225d7d5d2c226a6f696e223a22616e79227d2c7b226964223a226a6f696e222c22776f726b223a7b226b696e64223a227461736b222c227461736b223a2270617263656c2e73656e64222c22696e707574223a7b226b696e64223a226f626a656374222c22656e7472696573223a5b5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226f72646572227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e7075742e6f72646572227d5d2c5b7b226b696e64223a22636f6e7374616e74222c2276616c7565223a226d6574686f64227d2c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2273746570735b277365636f6e64275d2e6f75747075742e68656c64227d5d5d7d2c227265747279223a7b7d7d2c22726f75746573223a5b7b7d5d2c22756e726f75746564223a227761726e222c226a6f696e223a22616e79227d5d2c22656e7472696573223a5b7b2273746570223a2266616e2f6272616e63686573227d5d2c227772697474656e223a5b5b22696e7075742e6f72646572222c22776f726b666c6f772e696e7075742e6f72646572225d2c5b2273746570735b277365636f6e64275d2e6f75747075742e68656c64222c2273746570732e7365636f6e642e6f75747075742e68656c64225d5d7d	orchestration
e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23	\\x7b226e616d65223a2274696d6572222c227374657073223a5b7b226964223a227374617274222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b2272657374225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a2272657374222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b226c617465225d7d5d2c2270617573655f756e74696c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226e6f774d73202b203930303030227d7d2c7b226964223a226c617465222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b22776f6b656e222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6e616d65227d5d5d7d2c22726f75746573223a5b7b22746f223a5b226578747261225d7d5d7d2c7b226964223a226578747261222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b2278222c7b226b696e64223a22636f6e7374616e74222c2276616c7565223a317d5d5d7d7d5d2c22656e7472696573223a5b7b2273746570223a227374617274227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f623436313635363030396663363838356332623933386138272c202774696d6572275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d2c227772697474656e223a5b5b22766172732e6e616d65222c226e616d65225d5d7d	graph
a04696f79ebdc33890d9b7c3b685f8991f3974b2363bb541520ee0d93be3fa73	\\x7b226e616d65223a2262792d72657374222c227374657073223a5b7b226964223a22686f6f6b222c22776f726b223a7b226b696e64223a22636f6d70757465227d2c22726f75746573223a5b7b22746f223a5b22736574225d7d5d2c2261737369676e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2228747269676765722e7479706520696e205b277363686564756c65272c2027776562686f6f6b272c2027636861696e275d207c7c2028747269676765722e74797065203d3d20276576656e742720262620747269676765722e646174612e7479706520213d2027776f726b666c6f77732f657865637574652e776f726b666c6f77272929203f207b5f747269676765723a207b747970653a2028747269676765722e74797065203d3d20277363686564756c6527203f20275343484544554c455f5452494747455227203a20747269676765722e74797065203d3d2027776562686f6f6b27203f2027574542484f4f4b5f5452494747455227203a20747269676765722e74797065203d3d2027636861696e27207c7c20747269676765722e646174612e74797065203d3d2027776f726b666c6f772e636f6d706c6574656427203f2027574f524b464c4f575f5452494747455227203a20274556454e545f5452494747455227292c2064657074683a20657865637574696f6e2e64657074682c20666972656441743a20657865637574696f6e2e7374617274656441747c69736f446174652c202e2e2e28747269676765722e74797065203d3d20277363686564756c652720262620747269676765722e646174613f2e736c6f74203f207b7363686564756c653a20747269676765722e646174612e7363686564756c652c20736c6f743a20747269676765722e646174612e736c6f747d203a207b7d297d7d203a207b7d227d7d2c7b226964223a22736574222c22776f726b223a7b226b696e64223a22736574222c2276616c756573223a5b5b22676f74222c7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22766172732e6e227d5d5d7d7d5d2c22656e7472696573223a5b7b2273746570223a22686f6f6b227d5d2c227661726961626c6573223a22666c6f77696e67222c22696e697469616c223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a22696e707574227d2c227265736572766564223a5b225f6272616e6368222c225f77616974222c225f77616974556e74696c225d2c226f7574707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a2276617273227d2c226f6e5f6661696c757265223a22647261696e222c2273746570735f6d6178223a35302c2264657074685f6d6178223a332c22737461727473223a5b7b227061747465726e223a22776f726b666c6f77732f657865637574652e776f726b666c6f77222c22636f6e646974696f6e223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f77496420696e205b2777665f353333306563666166363566613334653931373738373063272c202762792d72657374275d227d2c22696e707574223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c44617461227d2c226465707468223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e696e697469616c446174613f2e5f747269676765723f2e6465707468227d2c226d65616e73223a7b22726566223a7b226b696e64223a2265787072657373696f6e222c22736f75726365223a226576656e742e7061796c6f61642e776f726b666c6f774964227d7d7d5d2c227772697474656e223a5b5b22766172732e6e222c226e225d5d7d	graph
\.


--
-- Data for Name: payloads; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.payloads (eid, seq, number, data) FROM stdin;
10	3	0	[1,2,3,4]
11	4	0	[1,2,3,4]
\.


--
-- Data for Name: perdure; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.perdure (version) FROM stdin;
10
\.


--
-- Data for Name: schedules; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.schedules (organization, workflow, id, digest, spec, form, paused, next_at, last_slot, last_execution, skipped, added) FROM stdin;
default	wf_71ff93e11d14055e984d909c	start	52c31bc364e0f9ee2eb4e8d5025a2d68217d7a2752b4b611da74df54ef5aeb8c	{"id":"start","cron":"0 6 1 1 *","timezone":"Europe/Berlin","catch_up":"none"}	1	0	1798779600000	\N	\N	0	0
default	wf_cc35820147a8c980e0fa3cdc	leap	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	{"id":"leap","cron":"30 4 29 2 *","catch_up":"none","input":{"n":29}}	1	1	1835411400000	\N	\N	0	1
\.


--
-- Data for Name: snapshots; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.snapshots (eid, seq, form, data) FROM stdin;
\.


--
-- Data for Name: subscriptions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.subscriptions (organization, workflow, number, digest, pattern) FROM stdin;
default	wf_0628754bcce47e38685ee966	0	ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3	workflows/execute.workflow
default	event	0	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	order.placed
default	wf_33a6c05238527bdaaa7abdfc	0	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	workflows/execute.workflow
default	wf_205c32ed60b75666899ecccf	0	cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d	workflows/execute.workflow
default	wf_cc35820147a8c980e0fa3cdc	0	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	workflows/execute.workflow
default	wf_b461656009fc6885c2b938a8	0	e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23	workflows/execute.workflow
default	wf_5330ecfaf65fa34e9177870c	0	a04696f79ebdc33890d9b7c3b685f8991f3974b2363bb541520ee0d93be3fa73	workflows/execute.workflow
\.


--
-- Data for Name: trigger_log; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.trigger_log (pos, organization, at, kind, subject, outcome, reason, execution, delivery, request, times, last_at) FROM stdin;
1	default	1795012557953	event	stock.counted	accepted	\N	\N	counted-1	d459cd40c300000002	1	1795012557953
2	default	1795012557981	hook	wh_02bee968acbd8e0a	accepted	\N	01a1ef15fc9d461ebc3433f667989bb6	delivery-1	d459cd40c300000004	1	1795012557981
\.


--
-- Data for Name: uncalled; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.uncalled (eid, op, task) FROM stdin;
\.


--
-- Data for Name: waits; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.waits (eid, op, organization, pattern, look_back, wild, place, key) FROM stdin;
6	-1	default	order.cancelled	f	0	/payload/order	text o1
6	4	default	payment.*	f	1	/payload/order	text o1
8	-1	default	order.cancelled	f	0	/payload/order	text o3
8	4	default	payment.*	f	1	/payload/order	text o3
9	-1	default	order.cancelled	f	0	/payload/order	text o4
9	4	default	payment.*	f	1	/payload/order	text o4
\.


--
-- Data for Name: workers; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.workers (id, lease_until, tasks, barred) FROM stdin;
vm-1196-f8ba5ea2	1795012558932	["http","webhook","log","email","perdure.transform","perdure.notices.whom","perdure.notices.send","node:EXPLODE","node:HOLD","node:FLAKY","double","fragile","use_secret","held","stock.reserve","stock.release","parcel.send"]	f
\.


--
-- Data for Name: workflow_versions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at, document) FROM stdin;
default	wf_5ab2a7d8bc148c3deae1a31a	1	1	phases	for-each	3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019	active	1795012557408	{"name":"for-each","steps":[[{"name":"pick","transform":"interface Input { items: number[] }\\ninterface Output { items: number[] }\\nexport default function (input: Input): Output { return { items: input.items.filter((n) => n > 0) } }","input":{"items":"@input.items"}}],[{"name":"work","forEach":"@pick.output.items","as":"n","concurrency":2,"tool":{"connectionId":"local","toolName":"double"},"input":{"n":"@n"}}],[{"name":"sum","transform":"interface Input { rows: { n: number }[] }\\ninterface Output { sum: number }\\nexport default function (input: Input): Output { return { sum: input.rows.reduce((sum, row) => sum + row.n, 0) } }","input":{"rows":"@work.output"}}]],"_schemas":{"pick":{"input":{"type":"object","properties":{"items":{"type":"array","items":{"type":"number"}}},"required":["items"]},"output":{"type":"object","properties":{"items":{"type":"array","items":{"type":"number"}}},"required":["items"]}},"work":{"input":{"type":"object","additionalProperties":{"type":"number"}},"output":{"type":"array","items":{"type":"object","additionalProperties":{"type":"number"}}}},"sum":{"input":{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}},"required":["rows"]},"output":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}}}}
default	wf_0628754bcce47e38685ee966	1	1	graph	parked	ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3	active	1795012549982	{"name":"parked","nodes":[{"id":"start","type":"MANUAL_TRIGGER"},{"id":"boom","type":"EXPLODE"}],"connections":[{"fromNodeId":"start","toNodeId":"boom"}]}
default	wf_124bb2fd3d974a042ccbe324	1	1	ports	approval	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a	active	1795012557278	{"name":"approval","config":{"variables":{"limit":100}},"steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"ask"}},{"stepSlug":"ask","stepType":"approval","order":2,"config":{"approverRole":"finance","submittedData":{"amount":"{{ input.amount }}"},"priority":"high"},"nextSteps":{"approved":"result","rejected":"declined"}},{"stepSlug":"declined","stepType":"output","order":3,"config":{"mapping":{"paid":false}}},{"stepSlug":"result","stepType":"output","order":4,"config":{"mapping":{"paid":true,"amount":"{{ steps.ask.output.data.submittedData.amount }}","limit":"{{ limit }}"}}}]}
default	event	1	1.2.0	orchestration	event	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352	active	1795012557307	{"id":"event","name":"event","version":"1.2.0","triggers":[{"eventPattern":"order.placed","correlationKey":"event.payload.order"}],"cancellationTriggers":[{"eventPattern":"order.cancelled","eventCondition":"event.payload.order === workflow.input.order","reason":"called off","shouldCompensate":true}],"steps":[{"stepId":"reserve","type":"TASK","taskId":"stock.reserve","input":{"order":"${workflow.input.order}"},"transitions":{"default":"paid"}},{"stepId":"paid","type":"EVENT_WAIT","eventPattern":"payment.*","eventCondition":"event.payload.order === workflow.input.order","eventPayloadMapping":{"method":"payment.method"},"transitions":{"default":"ship"}},{"stepId":"ship","type":"TASK","taskId":"parcel.send","input":{"order":"${workflow.input.order}","method":"${variables.method}"},"transitions":{"default":"END"}}],"compensationSteps":[{"stepId":"release","compensationFor":"reserve","type":"TASK","taskId":"stock.release","input":{"reservation":"${output.reservation}"}}]}
default	wf_a10a2e92a486a78500cd3feb	1	1	ports	loop	bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7	active	1795012557315	{"name":"loop","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"each"}},{"stepSlug":"each","stepType":"loop","order":2,"config":{"items":"{{ input.items }}","itemVariable":"item"},"nextSteps":{"loop":"work","done":"result"}},{"stepSlug":"work","stepType":"action","order":3,"config":{"type":"double","parameters":{"n":"{{ item }}"}},"outputMapping":{"last":"data.n"},"nextSteps":{"success":"each"}},{"stepSlug":"result","stepType":"output","order":4,"config":{"mapping":{"count":"{{ steps.each.output.data.state.totalItems }}","last":"{{ last }}"}}}]}
default	wf_367edf78191653f03b5892ef	1	1	ports	failed	6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8	active	1795012557413	{"name":"failed","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"work"}},{"stepSlug":"work","stepType":"action","order":2,"config":{"type":"fragile","parameters":{"n":"{{ input.n }}"}},"nextSteps":{"success":"end"}}]}
default	wf_33a6c05238527bdaaa7abdfc	1	1	graph	forked	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7	active	1795012557417	{"name":"forked","nodes":[{"id":"start","type":"MANUAL_TRIGGER"},{"id":"one","type":"SET","data":{"values":{"one":"{{ n + 1 }}"}}},{"id":"left","type":"SET","data":{"values":{"left":"{{ one * 10 }}"}}},{"id":"right","type":"HOLD"},{"id":"both","type":"MERGE"}],"connections":[{"fromNodeId":"start","toNodeId":"one"},{"fromNodeId":"one","toNodeId":"left"},{"fromNodeId":"one","toNodeId":"right"},{"fromNodeId":"left","toNodeId":"both"},{"fromNodeId":"right","toNodeId":"both"}]}
default	wf_a7652fb53f42ac0af014cf95	1	1	ports	parent	e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d	active	1795012557422	{"name":"parent","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"child"}},{"stepSlug":"child","stepType":"action","order":2,"config":{"type":"workflow","parameters":{"workflowId":"approval","input":{"amount":"{{ input.amount }}"},"wait":true}},"nextSteps":{"success":"result"}},{"stepSlug":"result","stepType":"output","order":3,"config":{"mapping":{"child":"{{ lastOutput.data }}"}}}]}
default	wf_205c32ed60b75666899ecccf	1	1	graph	retried	cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d	active	1795012557425	{"name":"retried","nodes":[{"id":"start","type":"MANUAL_TRIGGER"},{"id":"flaky","type":"FLAKY","data":{"retry":{"maxAttempts":3,"backoffMs":60000}}}],"connections":[{"fromNodeId":"start","toNodeId":"flaky"}]}
default	wf_b461656009fc6885c2b938a8	1	1	graph	timer	09e240f3579f964a03179154a739658f28afbae9f8873545db5a44eb8071df10	inactive	1795012557293	{"name":"timer","nodes":[{"id":"start","type":"MANUAL_TRIGGER"},{"id":"rest","type":"WAIT","data":{"amount":90,"unit":"seconds"}},{"id":"late","type":"SET","data":{"values":{"woken":"{{ name }}"}}}],"connections":[{"fromNodeId":"start","toNodeId":"rest"},{"fromNodeId":"rest","toNodeId":"late"}]}
default	wf_f85c7b6f5da372a4859da450	1	1	ports	secret	925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64	active	1795012557427	{"name":"secret","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"manual"},"nextSteps":{"success":"use"}},{"stepSlug":"use","stepType":"action","order":2,"config":{"type":"use_secret","parameters":{"token":"Bearer {{ secrets.CRM_KEY }}"}},"nextSteps":{"success":"end"}}]}
default	wf_cc35820147a8c980e0fa3cdc	1	1	graph	hooked	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df	active	1795012557432	{"name":"hooked","nodes":[{"id":"hook","type":"WEBHOOK_TRIGGER"},{"id":"set","type":"SET","data":{"values":{"got":"{{ n }}"}}}],"connections":[{"fromNodeId":"hook","toNodeId":"set"}]}
default	wf_71ff93e11d14055e984d909c	1	1	ports	yearly	52c31bc364e0f9ee2eb4e8d5025a2d68217d7a2752b4b611da74df54ef5aeb8c	active	1795012557439	{"name":"yearly","steps":[{"stepSlug":"start","stepType":"trigger","order":1,"config":{"type":"schedule","schedule":"0 6 1 1 *","timezone":"Europe/Berlin","catchUp":"none"},"nextSteps":{"success":"end"}}]}
default	parallel	1	1.0.0	orchestration	parallel	d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053	active	1795012557444	{"id":"parallel","name":"parallel","version":"1.0.0","steps":[{"stepId":"fan","type":"PARALLEL","transitions":{"default":"join"},"branches":[{"name":"a","steps":[{"stepId":"first","type":"TASK","taskId":"stock.reserve","input":{"order":"${workflow.input.order}"}}]},{"name":"b","steps":[{"stepId":"second","type":"TASK","taskId":"held","input":{"order":"${workflow.input.order}"}}]}]},{"stepId":"join","type":"TASK","taskId":"parcel.send","input":{"order":"${workflow.input.order}","method":"${steps.second.output.held}"},"transitions":{"default":"END"}}]}
default	wf_b461656009fc6885c2b938a8	2	2	graph	timer	e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23	active	1795012557447	{"name":"timer","nodes":[{"id":"start","type":"MANUAL_TRIGGER"},{"id":"rest","type":"WAIT","data":{"amount":90,"unit":"seconds"}},{"id":"late","type":"SET","data":{"values":{"woken":"{{ name }}"}}},{"id":"extra","type":"SET","data":{"values":{"x":1}}}],"connections":[{"fromNodeId":"start","toNodeId":"rest"},{"fromNodeId":"rest","toNodeId":"late"},{"fromNodeId":"late","toNodeId":"extra"}]}
default	wf_5330ecfaf65fa34e9177870c	1	1	graph	by-rest	a04696f79ebdc33890d9b7c3b685f8991f3974b2363bb541520ee0d93be3fa73	active	1795012557971	{"name":"by-rest","nodes":[{"id":"hook","type":"WEBHOOK_TRIGGER"},{"id":"set","type":"SET","data":{"values":{"got":"{{ n }}"}}}],"connections":[{"fromNodeId":"hook","toNodeId":"set"}]}
\.


--
-- Data for Name: workflows; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.workflows (organization, id, name, newest, active, digest) FROM stdin;
default	wf_0628754bcce47e38685ee966	parked	1	1	ed38f8b3a1d9781b7ab43d9032898fc5b6c4feb621ba971d06ffa68b9c4723c3
default	wf_124bb2fd3d974a042ccbe324	approval	1	1	cf75cdc2910694a02252b2c091e0e6c5a0b88775af862ec1b4f344ef27cb9d0a
default	event	event	1	1	ba7223c4934e73894227c49f07f8a4d08d79c4d7b91eff206521901b0e4e7352
default	wf_a10a2e92a486a78500cd3feb	loop	1	1	bb49983b4b06a28c7f62779107672133d05c728f2a6f62b69f75daae41cd12c7
default	wf_5ab2a7d8bc148c3deae1a31a	for-each	1	1	3bdb37201e3ea2f259274bf3406ed5ccd1742d97a43f311a91bbce6093cfe019
default	wf_367edf78191653f03b5892ef	failed	1	1	6a764fc5365ed9d78452705b67c71c8d1e7cd0a0b80437c2700002ed9a10dea8
default	wf_33a6c05238527bdaaa7abdfc	forked	1	1	14ed6e24a8a5594d5782d477147d391a9f6b3c6353fdf9da5e05a3ccf183ceb7
default	wf_a7652fb53f42ac0af014cf95	parent	1	1	e9190a3f74fbe4e5a8639d7d66d4ba2b385c2856feb44526a537082511a5cd2d
default	wf_205c32ed60b75666899ecccf	retried	1	1	cece542385ecf1323efe23863181595ec17227e8689adb379b18f4a4f65bdc5d
default	wf_f85c7b6f5da372a4859da450	secret	1	1	925f1cf5d0b6f0aa0a56de88f5148698e09092fdcbeffbc5cfc9e0c1b57b3f64
default	wf_cc35820147a8c980e0fa3cdc	hooked	1	1	2af80fe8e09393c0a91eb53dde84d7bdd4a59b241a0c70d4201669b194c3b3df
default	wf_71ff93e11d14055e984d909c	yearly	1	1	52c31bc364e0f9ee2eb4e8d5025a2d68217d7a2752b4b611da74df54ef5aeb8c
default	parallel	parallel	1	1	d493c17f1debc99fd115e5b41aac8810fdb1c124f863a19d8dbea54fbba9d053
default	wf_b461656009fc6885c2b938a8	timer	2	2	e694284a617079bb0592db7be75dfdee7a465d284f3a739221fd42af239bda23
default	wf_5330ecfaf65fa34e9177870c	by-rest	1	1	a04696f79ebdc33890d9b7c3b685f8991f3974b2363bb541520ee0d93be3fa73
\.


--
-- Name: approval_items_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.approval_items_pos_seq', 4, true);


--
-- Name: audit_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_pos_seq', 30, true);


--
-- Name: executions_eid_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.executions_eid_seq', 26, true);


--
-- Name: trigger_log_pos_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.trigger_log_pos_seq', 2, true);


--
-- Name: answers answers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (organization, key);


--
-- Name: approval_items approvals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.approval_items
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (id);


--
-- Name: audit_chains audit_chains_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_chains
    ADD CONSTRAINT audit_chains_pkey PRIMARY KEY (organization, writer);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (pos);


--
-- Name: cards cards_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cards
    ADD CONSTRAINT cards_pkey PRIMARY KEY (register, organization, id);


--
-- Name: consumed consumed_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consumed
    ADD CONSTRAINT consumed_pkey PRIMARY KEY (eid, event);


--
-- Name: dedups dedups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dedups
    ADD CONSTRAINT dedups_pkey PRIMARY KEY (eid, dedup);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (eid, event);


--
-- Name: events events_organization_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_organization_id_key UNIQUE (organization, id);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (pos);


--
-- Name: executions executions_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_id_key UNIQUE (id);


--
-- Name: executions executions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.executions
    ADD CONSTRAINT executions_pkey PRIMARY KEY (eid);


--
-- Name: forgotten forgotten_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.forgotten
    ADD CONSTRAINT forgotten_pkey PRIMARY KEY (organization);


--
-- Name: history history_eid_seq_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_eid_seq_key UNIQUE (eid, seq);


--
-- Name: history history_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (pos);


--
-- Name: idempotency idempotency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (organization, key);


--
-- Name: inbox inbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (pos);


--
-- Name: key_uses key_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_uses
    ADD CONSTRAINT key_uses_pkey PRIMARY KEY (organization, id);


--
-- Name: leavings leavings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leavings
    ADD CONSTRAINT leavings_pkey PRIMARY KEY (eid);


--
-- Name: models models_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (digest);


--
-- Name: payloads payloads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payloads
    ADD CONSTRAINT payloads_pkey PRIMARY KEY (eid, seq, number);


--
-- Name: schedules schedules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (organization, workflow, id);


--
-- Name: snapshots snapshots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.snapshots
    ADD CONSTRAINT snapshots_pkey PRIMARY KEY (eid);


--
-- Name: subscriptions subscriptions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (organization, workflow, number);


--
-- Name: trigger_log trigger_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.trigger_log
    ADD CONSTRAINT trigger_log_pkey PRIMARY KEY (pos);


--
-- Name: uncalled uncalled_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uncalled
    ADD CONSTRAINT uncalled_pkey PRIMARY KEY (eid, op);


--
-- Name: waits waits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.waits
    ADD CONSTRAINT waits_pkey PRIMARY KEY (eid, op);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: workflow_versions workflow_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workflow_versions
    ADD CONSTRAINT workflow_versions_pkey PRIMARY KEY (organization, workflow, number);


--
-- Name: workflows workflows_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.workflows
    ADD CONSTRAINT workflows_pkey PRIMARY KEY (organization, id);


--
-- Name: answers_by_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX answers_by_time ON public.answers USING btree (promised_at);


--
-- Name: approvals_about; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_about ON public.approval_items USING btree (organization, resource_type, resource_id, status, late, pos) WHERE (resource_type IS NOT NULL);


--
-- Name: approvals_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_by_status ON public.approval_items USING btree (organization, status, late, pos);


--
-- Name: approvals_handed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_handed ON public.approval_items USING btree (organization, handed, status, late, pos) WHERE (handed IS NOT NULL);


--
-- Name: approvals_of; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX approvals_of ON public.approval_items USING btree (eid, op);


--
-- Name: approvals_of_member; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_of_member ON public.approval_items USING btree (organization, member, status, late, pos) WHERE (member IS NOT NULL);


--
-- Name: approvals_of_nobody; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_of_nobody ON public.approval_items USING btree (organization, status, late, pos) WHERE ((member IS NULL) AND (role IS NULL));


--
-- Name: approvals_of_role; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_of_role ON public.approval_items USING btree (organization, role, status, late, pos) WHERE (role IS NOT NULL);


--
-- Name: approvals_of_workflow; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX approvals_of_workflow ON public.approval_items USING btree (organization, workflow, status, late, pos);


--
-- Name: audit_chain; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX audit_chain ON public.audit USING btree (organization, writer, number);


--
-- Name: audit_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_of ON public.audit USING btree (organization, pos);


--
-- Name: audit_of_approval; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_of_approval ON public.audit USING btree (approval, pos) WHERE (approval IS NOT NULL);


--
-- Name: cards_anywhere; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cards_anywhere ON public.cards USING btree (register, id);


--
-- Name: consumed_by; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX consumed_by ON public.consumed USING btree (event, eid);


--
-- Name: deliveries_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_of ON public.deliveries USING btree (event, eid);


--
-- Name: events_by_type; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_by_type ON public.events USING btree (organization, type, pos) WHERE (type !~~ 'workflow.%'::text);


--
-- Name: events_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_of ON public.events USING btree (organization, pos);


--
-- Name: events_unrouted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX events_unrouted ON public.events USING btree (pos) WHERE (NOT routed);


--
-- Name: executions_by_status; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_by_status ON public.executions USING btree (organization, status, eid) WHERE (owner IS NULL);


--
-- Name: executions_by_status_at; Type: INDEX; Schema: public; Owner: -
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
-- Name: executions_correlated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_correlated ON public.executions USING btree (correlation_id, organization, eid) WHERE (correlation_id IS NOT NULL);


--
-- Name: executions_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_ended ON public.executions USING btree (ended_at) WHERE ((NOT live) AND (owner IS NULL));


--
-- Name: executions_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_of ON public.executions USING btree (organization, eid);


--
-- Name: executions_of_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_of_parent ON public.executions USING btree (parent, eid) WHERE (parent IS NOT NULL);


--
-- Name: executions_of_workflow; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_of_workflow ON public.executions USING btree (workflow, organization, eid);


--
-- Name: executions_owned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_owned ON public.executions USING btree (owner) WHERE (owner IS NOT NULL);


--
-- Name: executions_owned_with_mail; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_owned_with_mail ON public.executions USING btree (owner) WHERE ((owner IS NOT NULL) AND (mail > 0));


--
-- Name: executions_ready; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_ready ON public.executions USING btree (eid) WHERE (ready AND (owner IS NULL));


--
-- Name: executions_started; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_started ON public.executions USING btree (organization, started_at);


--
-- Name: executions_waiting_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_waiting_at ON public.executions USING btree (public.waited(status, waiting, 'step'::text, true)) WHERE (public.waited(status, waiting, 'step'::text, true) IS NOT NULL);


--
-- Name: executions_waiting_for; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_waiting_for ON public.executions USING btree (public.waited(status, waiting, 'on'::text, false)) WHERE (public.waited(status, waiting, 'on'::text, false) IS NOT NULL);


--
-- Name: executions_wake; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX executions_wake ON public.executions USING btree (wake_at) WHERE ((owner IS NULL) AND live AND (wake_at IS NOT NULL));


--
-- Name: history_within; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX history_within ON public.history USING btree (eid, scope, seq) WHERE (scope IS NOT NULL);


--
-- Name: idempotency_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_of ON public.idempotency USING btree (execution);


--
-- Name: inbox_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX inbox_of ON public.inbox USING btree (eid, pos);


--
-- Name: schedules_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (paused = 0);


--
-- Name: trigger_log_by_outcome; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trigger_log_by_outcome ON public.trigger_log USING btree (organization, outcome, pos);


--
-- Name: trigger_log_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trigger_log_by_subject ON public.trigger_log USING btree (organization, subject, pos);


--
-- Name: trigger_log_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX trigger_log_of ON public.trigger_log USING btree (organization, pos);


--
-- Name: uncalled_by_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uncalled_by_task ON public.uncalled USING btree (task, eid);


--
-- Name: waits_by_pattern; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX waits_by_pattern ON public.waits USING btree (organization, pattern, place, key, eid);


--
-- Name: waits_to_look_back; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX waits_to_look_back ON public.waits USING btree (eid, op) WHERE look_back;


--
-- Name: waits_wild; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX waits_wild ON public.waits USING btree (organization, pattern) WHERE (wild = 1);


--
-- Name: workflow_versions_called; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workflow_versions_called ON public.workflow_versions USING btree ((((((organization || '/'::text) || workflow) || '@'::text) || version)));


--
-- Name: workflow_versions_with; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workflow_versions_with ON public.workflow_versions USING btree (digest);


--
-- Name: workflows_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX workflows_by_name ON public.workflows USING btree (organization, name, id);


--
-- Name: answers; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.answers ENABLE ROW LEVEL SECURITY;

--
-- Name: approval_items; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.approval_items ENABLE ROW LEVEL SECURITY;

--
-- Name: audit; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.audit ENABLE ROW LEVEL SECURITY;

--
-- Name: audit_chains; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.audit_chains ENABLE ROW LEVEL SECURITY;

--
-- Name: cards; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.cards ENABLE ROW LEVEL SECURITY;

--
-- Name: consumed; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.consumed ENABLE ROW LEVEL SECURITY;

--
-- Name: dedups; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.dedups ENABLE ROW LEVEL SECURITY;

--
-- Name: deliveries; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.events ENABLE ROW LEVEL SECURITY;

--
-- Name: executions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.executions ENABLE ROW LEVEL SECURITY;

--
-- Name: forgotten; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.forgotten ENABLE ROW LEVEL SECURITY;

--
-- Name: history; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.history ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.idempotency ENABLE ROW LEVEL SECURITY;

--
-- Name: inbox; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.inbox ENABLE ROW LEVEL SECURITY;

--
-- Name: key_uses; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.key_uses ENABLE ROW LEVEL SECURITY;

--
-- Name: payloads; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.payloads ENABLE ROW LEVEL SECURITY;

--
-- Name: answers perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.answers USING (true);


--
-- Name: approval_items perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.approval_items USING (true);


--
-- Name: audit perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.audit USING (true);


--
-- Name: audit_chains perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.audit_chains USING (true);


--
-- Name: cards perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.cards USING (true);


--
-- Name: consumed perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.consumed USING (true);


--
-- Name: dedups perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.dedups USING (true);


--
-- Name: deliveries perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.deliveries USING (true);


--
-- Name: events perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.events USING (true);


--
-- Name: executions perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.executions USING (true);


--
-- Name: forgotten perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.forgotten USING (true);


--
-- Name: history perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.history USING (true);


--
-- Name: idempotency perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.idempotency USING (true);


--
-- Name: inbox perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.inbox USING (true);


--
-- Name: key_uses perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.key_uses USING (true);


--
-- Name: payloads perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.payloads USING (true);


--
-- Name: schedules perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.schedules USING (true);


--
-- Name: snapshots perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.snapshots USING (true);


--
-- Name: subscriptions perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.subscriptions USING (true);


--
-- Name: trigger_log perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.trigger_log USING (true);


--
-- Name: uncalled perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.uncalled USING (true);


--
-- Name: waits perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.waits USING (true);


--
-- Name: workers perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.workers USING (true);


--
-- Name: workflow_versions perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.workflow_versions USING (true);


--
-- Name: workflows perdure_all; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_all ON public.workflows USING (true);


--
-- Name: answers perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.answers AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: approval_items perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.approval_items AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: audit perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.audit AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: audit_chains perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.audit_chains AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: cards perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.cards AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: consumed perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.consumed AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = consumed.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: dedups perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.dedups AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = dedups.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: deliveries perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.deliveries AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = deliveries.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: events perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.events AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: executions perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.executions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: POLICY perdure_tenant ON executions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON POLICY perdure_tenant ON public.executions IS 'made by Perdure: d3b8b0170656a8c7d1255c4ad7abea368f7d6d33230fa78297d7aedee8a9eba2';


--
-- Name: forgotten perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.forgotten AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: history perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.history AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = history.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: idempotency perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.idempotency AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: inbox perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.inbox AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = inbox.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: key_uses perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.key_uses AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: payloads perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.payloads AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = payloads.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: schedules perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.schedules AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: snapshots perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.snapshots AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = snapshots.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: subscriptions perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.subscriptions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: trigger_log perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.trigger_log AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: uncalled perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.uncalled AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (( SELECT executions.organization
       FROM public.executions
      WHERE (executions.eid = uncalled.eid)) = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: waits perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.waits AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: workers perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.workers AS RESTRICTIVE TO perdure_tenant_postgres USING (true);


--
-- Name: workflow_versions perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.workflow_versions AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: workflows perdure_tenant; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY perdure_tenant ON public.workflows AS RESTRICTIVE TO perdure_tenant_postgres USING (
CASE
    WHEN (organization = ( SELECT NULLIF(current_setting('perdure.organization'::text, true), ''::text) AS "nullif")) THEN true
    ELSE false
END);


--
-- Name: schedules; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: snapshots; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.snapshots ENABLE ROW LEVEL SECURITY;

--
-- Name: subscriptions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.subscriptions ENABLE ROW LEVEL SECURITY;

--
-- Name: trigger_log; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.trigger_log ENABLE ROW LEVEL SECURITY;

--
-- Name: uncalled; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.uncalled ENABLE ROW LEVEL SECURITY;

--
-- Name: waits; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.waits ENABLE ROW LEVEL SECURITY;

--
-- Name: workers; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.workers ENABLE ROW LEVEL SECURITY;

--
-- Name: workflow_versions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.workflow_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: workflows; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.workflows ENABLE ROW LEVEL SECURITY;

--
-- PostgreSQL database dump complete
--


