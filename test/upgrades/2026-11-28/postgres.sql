SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';
CREATE FUNCTION public.append_delivery_count_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change)
    select started_at, transport_id, source, outcome, sum(change) from (select started_at - started_at % 60000,
    coalesce(transport_id,
      case when transport is null then -1 else 0 end),
    source, outcome, 1 from new_rows where outcome <> 'started')
      as changes (started_at, transport_id, source, outcome, change)
    group by started_at, transport_id, source, outcome having sum(change) <> 0;
        elsif tg_op = 'DELETE' then insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change)
    select started_at, transport_id, source, outcome, sum(change) from (select started_at - started_at % 60000,
    coalesce(transport_id,
      case when transport is null then -1 else 0 end),
    source, outcome, -1 from old_rows where outcome <> 'started')
      as changes (started_at, transport_id, source, outcome, change)
    group by started_at, transport_id, source, outcome having sum(change) <> 0;
        else insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change)
    select started_at, transport_id, source, outcome, sum(change) from (select started_at - started_at % 60000,
    coalesce(transport_id,
      case when transport is null then -1 else 0 end),
    source, outcome, 1 from new_rows where outcome <> 'started' union all select started_at - started_at % 60000,
    coalesce(transport_id,
      case when transport is null then -1 else 0 end),
    source, outcome, -1 from old_rows where outcome <> 'started')
      as changes (started_at, transport_id, source, outcome, change)
    group by started_at, transport_id, source, outcome having sum(change) <> 0;
        end if;
        return null;
      end $$;
CREATE FUNCTION public.email_transports_delete_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); return null; end $$;
CREATE FUNCTION public.email_transports_insert_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (0, 0); return null; end $$;
CREATE FUNCTION public.email_transports_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); return null; end $$;
CREATE FUNCTION public.mautic_email_transports_delete_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (coalesce(old.transport_id, 0), old.mautic_id); return null; end $$;
CREATE FUNCTION public.mautic_email_transports_insert_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (0, new.mautic_id); return null; end $$;
CREATE FUNCTION public.mautic_email_transports_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (coalesce(old.transport_id, 0), new.mautic_id); return null; end $$;
CREATE FUNCTION public.mautic_user_transports_delete_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (coalesce(old.transport_id, 0), old.mautic_id); return null; end $$;
CREATE FUNCTION public.mautic_user_transports_insert_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (0, new.mautic_id); return null; end $$;
CREATE FUNCTION public.mautic_user_transports_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (coalesce(old.transport_id, 0), new.mautic_id); return null; end $$;
CREATE FUNCTION public.mautics_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.id), (coalesce(old.transport_id, 0), new.id); return null; end $$;
CREATE FUNCTION public.transports_delete_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (old.id, null); return null; end $$;
CREATE FUNCTION public.transports_insert_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (new.id, null); return null; end $$;
CREATE FUNCTION public.transports_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (new.id, null); return null; end $$;
CREATE FUNCTION public.user_transports_delete_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); return null; end $$;
CREATE FUNCTION public.user_transports_insert_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (0, 0); return null; end $$;
CREATE FUNCTION public.user_transports_update_repairs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); return null; end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.broadcasts (
    id bigint NOT NULL,
    email_id bigint NOT NULL,
    caller text NOT NULL,
    created_at bigint NOT NULL,
    finished_at bigint,
    state text NOT NULL,
    problem text,
    segment text,
    contact_ids text,
    is_prepared boolean NOT NULL,
    prepared_to bigint NOT NULL,
    total bigint NOT NULL,
    skipped text DEFAULT '{}'::text NOT NULL,
    accepted bigint NOT NULL,
    refused bigint NOT NULL,
    uncertain bigint NOT NULL,
    suppressed bigint NOT NULL,
    rate_stretch bigint NOT NULL,
    rate_count bigint NOT NULL,
    rate_before bigint NOT NULL,
    message_seed text NOT NULL,
    idempotency_key text,
    request_hash text,
    braked_at bigint,
    brake_attempts bigint DEFAULT 0 NOT NULL,
    brake_refused bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    bounced bigint DEFAULT 0 NOT NULL,
    complained bigint DEFAULT 0 NOT NULL,
    unsubscribed bigint DEFAULT 0 NOT NULL,
    brake_kind text,
    brake_events bigint,
    brake_accepted bigint,
    continued_at bigint
);
ALTER TABLE public.broadcasts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.broadcasts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.console_sessions (
    id bigint NOT NULL,
    hash text NOT NULL,
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    address text NOT NULL,
    user_agent text NOT NULL
);
ALTER TABLE public.console_sessions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.console_sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.contact_segments (
    segment text NOT NULL,
    contact_id bigint NOT NULL
);
CREATE TABLE public.contacts (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    email text,
    email_key text,
    owner_id bigint,
    points bigint NOT NULL,
    field_values text NOT NULL,
    tags text NOT NULL,
    segments text NOT NULL
);
ALTER TABLE public.contacts ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.contacts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.data_keys (
    id text NOT NULL,
    wrapped text NOT NULL,
    secret_key_id text NOT NULL,
    created_at bigint NOT NULL,
    retired_at bigint
);
CREATE TABLE public.deleted_records (
    kind text NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL,
    search_text text NOT NULL,
    mautic_id bigint,
    is_published boolean NOT NULL,
    created_by_id bigint,
    date_deleted bigint NOT NULL,
    deleted_by text NOT NULL,
    record text NOT NULL,
    related text NOT NULL
);
CREATE TABLE public.deleted_template_versions (
    kind text DEFAULT 'twig_templates'::text NOT NULL,
    template_id bigint NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    description text,
    template text NOT NULL,
    saved_at bigint NOT NULL,
    saved_by text NOT NULL,
    note text
);
CREATE SEQUENCE public.deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.deliveries (
    id bigint DEFAULT nextval('public.deliveries_id_seq'::regclass) NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint,
    source text NOT NULL,
    caller text NOT NULL,
    email_id bigint,
    contact_id bigint,
    broadcast_id bigint,
    sender text NOT NULL,
    recipient text NOT NULL,
    recipient_key text NOT NULL COLLATE pg_catalog."C",
    transport_id bigint,
    transport text,
    member text,
    outcome text NOT NULL,
    is_permanent boolean,
    reply text,
    reason text,
    message_id text,
    provider_id text,
    process_id text NOT NULL,
    trace text NOT NULL,
    request_hash text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    is_bounced boolean DEFAULT false NOT NULL,
    subject text,
    event text
)
PARTITION BY RANGE (started_at);
CREATE TABLE public.deliveries_2026_11 (
    id bigint DEFAULT nextval('public.deliveries_id_seq'::regclass) NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint,
    source text NOT NULL,
    caller text NOT NULL,
    email_id bigint,
    contact_id bigint,
    broadcast_id bigint,
    sender text NOT NULL,
    recipient text NOT NULL,
    recipient_key text NOT NULL COLLATE pg_catalog."C",
    transport_id bigint,
    transport text,
    member text,
    outcome text NOT NULL,
    is_permanent boolean,
    reply text,
    reason text,
    message_id text,
    provider_id text,
    process_id text NOT NULL,
    trace text NOT NULL,
    request_hash text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    is_bounced boolean DEFAULT false NOT NULL,
    subject text,
    event text
);
CREATE TABLE public.deliveries_2026_12 (
    id bigint DEFAULT nextval('public.deliveries_id_seq'::regclass) NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint,
    source text NOT NULL,
    caller text NOT NULL,
    email_id bigint,
    contact_id bigint,
    broadcast_id bigint,
    sender text NOT NULL,
    recipient text NOT NULL,
    recipient_key text NOT NULL COLLATE pg_catalog."C",
    transport_id bigint,
    transport text,
    member text,
    outcome text NOT NULL,
    is_permanent boolean,
    reply text,
    reason text,
    message_id text,
    provider_id text,
    process_id text NOT NULL,
    trace text NOT NULL,
    request_hash text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    is_bounced boolean DEFAULT false NOT NULL,
    subject text,
    event text
);
CREATE TABLE public.deliveries_2027_01 (
    id bigint DEFAULT nextval('public.deliveries_id_seq'::regclass) NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint,
    source text NOT NULL,
    caller text NOT NULL,
    email_id bigint,
    contact_id bigint,
    broadcast_id bigint,
    sender text NOT NULL,
    recipient text NOT NULL,
    recipient_key text NOT NULL COLLATE pg_catalog."C",
    transport_id bigint,
    transport text,
    member text,
    outcome text NOT NULL,
    is_permanent boolean,
    reply text,
    reason text,
    message_id text,
    provider_id text,
    process_id text NOT NULL,
    trace text NOT NULL,
    request_hash text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    is_bounced boolean DEFAULT false NOT NULL,
    subject text,
    event text
);
CREATE TABLE public.deliveries_default (
    id bigint DEFAULT nextval('public.deliveries_id_seq'::regclass) NOT NULL,
    started_at bigint NOT NULL,
    duration_ms bigint,
    source text NOT NULL,
    caller text NOT NULL,
    email_id bigint,
    contact_id bigint,
    broadcast_id bigint,
    sender text NOT NULL,
    recipient text NOT NULL,
    recipient_key text NOT NULL COLLATE pg_catalog."C",
    transport_id bigint,
    transport text,
    member text,
    outcome text NOT NULL,
    is_permanent boolean,
    reply text,
    reason text,
    message_id text,
    provider_id text,
    process_id text NOT NULL,
    trace text NOT NULL,
    request_hash text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    is_bounced boolean DEFAULT false NOT NULL,
    subject text,
    event text
);
CREATE TABLE public.delivery_count_changes (
    id bigint NOT NULL,
    started_at bigint,
    transport_id bigint,
    source text,
    outcome text,
    change bigint
);
ALTER TABLE public.delivery_count_changes ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.delivery_count_changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.delivery_counts (
    transport_id bigint NOT NULL,
    span_ms bigint NOT NULL,
    started_at bigint NOT NULL,
    source text NOT NULL,
    outcome text NOT NULL,
    count bigint NOT NULL
);
CREATE SEQUENCE public.delivery_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.delivery_events (
    id bigint DEFAULT nextval('public.delivery_events_id_seq'::regclass) NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    transport_id bigint NOT NULL,
    type text NOT NULL,
    class text,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    reason text,
    provider text NOT NULL,
    source text NOT NULL,
    is_guess boolean NOT NULL,
    is_first boolean NOT NULL,
    event_key text NOT NULL
)
PARTITION BY RANGE (started_at);
CREATE TABLE public.delivery_events_2026_10 (
    id bigint DEFAULT nextval('public.delivery_events_id_seq'::regclass) NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    transport_id bigint NOT NULL,
    type text NOT NULL,
    class text,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    reason text,
    provider text NOT NULL,
    source text NOT NULL,
    is_guess boolean NOT NULL,
    is_first boolean NOT NULL,
    event_key text NOT NULL
);
CREATE TABLE public.delivery_events_2026_11 (
    id bigint DEFAULT nextval('public.delivery_events_id_seq'::regclass) NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    transport_id bigint NOT NULL,
    type text NOT NULL,
    class text,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    reason text,
    provider text NOT NULL,
    source text NOT NULL,
    is_guess boolean NOT NULL,
    is_first boolean NOT NULL,
    event_key text NOT NULL
);
CREATE TABLE public.delivery_events_2026_12 (
    id bigint DEFAULT nextval('public.delivery_events_id_seq'::regclass) NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    transport_id bigint NOT NULL,
    type text NOT NULL,
    class text,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    reason text,
    provider text NOT NULL,
    source text NOT NULL,
    is_guess boolean NOT NULL,
    is_first boolean NOT NULL,
    event_key text NOT NULL
);
CREATE TABLE public.delivery_events_default (
    id bigint DEFAULT nextval('public.delivery_events_id_seq'::regclass) NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    transport_id bigint NOT NULL,
    type text NOT NULL,
    class text,
    at bigint NOT NULL,
    received_at bigint NOT NULL,
    reason text,
    provider text NOT NULL,
    source text NOT NULL,
    is_guess boolean NOT NULL,
    is_first boolean NOT NULL,
    event_key text NOT NULL
);
CREATE TABLE public.delivery_keys (
    key text NOT NULL,
    kind text NOT NULL,
    delivery_id bigint NOT NULL,
    started_at bigint NOT NULL,
    acknowledged_at bigint
);
CREATE TABLE public.delivery_processes (
    id text NOT NULL,
    seen_at bigint NOT NULL,
    rendering bigint,
    host text,
    pid bigint,
    version text,
    started_at bigint
);
CREATE TABLE public.dkim_keys (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    domain text NOT NULL,
    algorithm text NOT NULL,
    selector text NOT NULL,
    private_key text NOT NULL,
    public_key text NOT NULL,
    state text NOT NULL,
    active_at bigint,
    absent_since bigint,
    problem text,
    checked_at bigint,
    check_at bigint NOT NULL,
    next_algorithm text,
    next_selector text,
    next_private_key text,
    next_public_key text,
    next_problem text,
    next_added_at bigint,
    removable text NOT NULL
);
ALTER TABLE public.dkim_keys ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.dkim_keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.email_transports (
    transport_id bigint,
    use_owner_transport boolean NOT NULL,
    email_id bigint NOT NULL,
    deleted_transport_id bigint
);
CREATE TABLE public.emails (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    subject text NOT NULL,
    from_address text,
    from_name text,
    reply_to_address text,
    custom_html text,
    plain_text text,
    headers text NOT NULL,
    is_twig boolean NOT NULL
);
ALTER TABLE public.emails ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.emails_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.inbox_messages (
    id bigint NOT NULL,
    captured_at bigint NOT NULL,
    sender text NOT NULL,
    recipients text NOT NULL,
    subject text NOT NULL,
    message_id text,
    transport_id bigint,
    transport text,
    size_bytes bigint NOT NULL,
    search_text text NOT NULL,
    is_complete boolean DEFAULT true NOT NULL
);
ALTER TABLE public.inbox_messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.inbox_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.inbox_pieces (
    message_id bigint NOT NULL,
    number integer NOT NULL,
    sealed text NOT NULL
);
CREATE TABLE public.kept_tests (
    key text NOT NULL,
    tested_at bigint NOT NULL,
    tested_by text,
    success boolean NOT NULL,
    message text NOT NULL,
    duration_ms bigint NOT NULL,
    stage text
);
CREATE TABLE public.limit_usage (
    key text NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.limits (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    description text,
    transports text NOT NULL,
    per_second bigint,
    per_minute bigint,
    per_hour bigint,
    per_day bigint,
    per_month bigint,
    connections_max bigint,
    warm_up text,
    overflow text NOT NULL
);
ALTER TABLE public.limits ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.limits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.login_failures (
    key character varying(255) NOT NULL,
    points integer NOT NULL,
    expire bigint
);
CREATE TABLE public.login_sessions (
    hash text NOT NULL,
    user_id bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.mautic_domains (
    mautic_id bigint NOT NULL,
    domain text NOT NULL,
    applied_to bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.mautic_email_transports (
    transport_id bigint,
    use_owner_transport boolean NOT NULL,
    mautic_id bigint NOT NULL,
    email_id bigint NOT NULL,
    deleted_transport_id bigint
);
CREATE TABLE public.mautic_emails (
    mautic_id bigint NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL,
    subject text NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint,
    date_modified bigint,
    search_text text NOT NULL,
    subject_key text
);
CREATE TABLE public.mautic_events (
    mautic_id bigint NOT NULL,
    hash text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.mautic_list_entries (
    mautic_id bigint NOT NULL,
    id bigint NOT NULL,
    contact_id bigint NOT NULL,
    address_key text NOT NULL,
    reason bigint NOT NULL,
    added_at bigint NOT NULL,
    seq bigint NOT NULL,
    is_reported boolean NOT NULL,
    missing_since bigint
);
CREATE TABLE public.mautic_list_removals (
    mautic_id bigint NOT NULL,
    address_key text NOT NULL,
    removed_at bigint NOT NULL
);
CREATE TABLE public.mautic_lists (
    mautic_id bigint NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    after_id bigint,
    started_at bigint,
    read_at bigint,
    address_after bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.mautic_refusal_marks (
    mautic_id bigint NOT NULL,
    purpose text NOT NULL,
    reached_at bigint NOT NULL
);
CREATE TABLE public.mautic_reports (
    id bigint NOT NULL,
    mautic_id bigint NOT NULL,
    contact_id bigint,
    address text NOT NULL,
    address_key text NOT NULL,
    email_id bigint,
    reason bigint NOT NULL,
    comments text NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint NOT NULL,
    created_at bigint NOT NULL,
    problem text,
    is_removal boolean DEFAULT false NOT NULL
);
ALTER TABLE public.mautic_reports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.mautic_reports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.mautic_sends (
    mautic_id bigint NOT NULL,
    hash text NOT NULL,
    email_id bigint,
    contact_id bigint,
    address_key text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.mautic_states (
    mautic_id bigint NOT NULL,
    polled_at bigint,
    synchronized_at bigint,
    due_at bigint NOT NULL,
    claimed_until bigint,
    problem text,
    problem_since bigint,
    is_reinstalled boolean NOT NULL
);
CREATE TABLE public.mautic_user_transports (
    transport_id bigint NOT NULL,
    mautic_id bigint NOT NULL,
    user_id bigint NOT NULL
);
CREATE TABLE public.mautic_users (
    mautic_id bigint NOT NULL,
    id bigint NOT NULL,
    username text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint,
    date_modified bigint,
    search_text text NOT NULL
);
CREATE TABLE public.mautic_webhooks (
    mautic_id bigint NOT NULL,
    hook_id bigint NOT NULL,
    url text NOT NULL,
    announces_messages boolean NOT NULL,
    accepts_unproven boolean NOT NULL,
    is_by_user boolean NOT NULL,
    replaced_at bigint,
    problem text,
    problem_since bigint
);
CREATE TABLE public.mautics (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    client_id text,
    secret text NOT NULL,
    username text,
    transport_id bigint,
    smtp_mode text,
    hosts text NOT NULL,
    role_map text NOT NULL,
    is_reporting boolean NOT NULL,
    smtp_login text NOT NULL,
    smtp_password_hash text NOT NULL,
    webhook_secret text,
    refusals_to text,
    is_tagging boolean DEFAULT false NOT NULL
);
ALTER TABLE public.mautics ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.mautics_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.migrations (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.oauth_clients (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    client_id text NOT NULL,
    secret_hash text NOT NULL,
    redirect_uris text NOT NULL,
    grant_types text NOT NULL,
    role_id bigint,
    smtp_mode text
);
ALTER TABLE public.oauth_clients ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.oauth_clients_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.oauth_codes (
    hash text NOT NULL,
    family text NOT NULL,
    client_id bigint NOT NULL,
    user_id bigint,
    expires_at bigint NOT NULL,
    used_at bigint,
    redirect_uri text NOT NULL,
    code_challenge text,
    code_challenge_method text,
    created_at bigint
);
CREATE TABLE public.oauth_tokens (
    hash text NOT NULL,
    family text NOT NULL,
    client_id bigint NOT NULL,
    user_id bigint,
    expires_at bigint NOT NULL,
    used_at bigint,
    kind text NOT NULL,
    created_at bigint
);
CREATE TABLE public.password_links (
    hash text NOT NULL,
    user_id bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.queue_brakes (
    id bigint NOT NULL,
    mautic_id bigint DEFAULT 0 NOT NULL,
    sender_domain text NOT NULL,
    transport_id bigint NOT NULL,
    brake_attempts bigint DEFAULT 0 NOT NULL,
    brake_refused bigint DEFAULT 0 NOT NULL,
    braked_at bigint,
    counted_at bigint NOT NULL,
    brake_kind text,
    brake_events bigint,
    brake_accepted bigint,
    continued_at bigint
);
ALTER TABLE public.queue_brakes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.queue_brakes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.queue_holds (
    transport_id bigint NOT NULL,
    held_by text NOT NULL,
    held_at bigint NOT NULL
);
CREATE TABLE public.queue_messages (
    id bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    lane text NOT NULL,
    caller text NOT NULL,
    submitter text NOT NULL,
    sender text NOT NULL,
    notification text,
    deliver_by text,
    message_id text,
    mautic_id bigint DEFAULT 0 NOT NULL,
    email_id bigint,
    contact_id bigint,
    rendered text,
    size_bytes bigint NOT NULL,
    key_id text NOT NULL,
    body bytea NOT NULL,
    broadcast_id bigint,
    is_paused boolean DEFAULT false NOT NULL,
    subject text
);
ALTER TABLE public.queue_messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.queue_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.queue_notices (
    id bigint NOT NULL,
    message_id bigint NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE public.queue_notices ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.queue_notices_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.queue_recipients (
    id bigint NOT NULL,
    message_id bigint NOT NULL,
    address text NOT NULL,
    address_key text NOT NULL,
    state text NOT NULL,
    lane text NOT NULL,
    transport_id bigint NOT NULL,
    due_at bigint NOT NULL,
    created_at bigint NOT NULL,
    attempts bigint NOT NULL,
    claimed_by text,
    problem text,
    message_key text NOT NULL,
    bulk_key text,
    brake_id bigint,
    waits_for bigint,
    contact_id bigint,
    broadcast_id bigint,
    expires_at bigint
);
ALTER TABLE public.queue_recipients ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.queue_recipients_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.received_events (
    id bigint NOT NULL,
    transport_id bigint,
    provider text NOT NULL,
    received_at bigint NOT NULL,
    due_at bigint NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    size bigint NOT NULL,
    events text NOT NULL
);
ALTER TABLE public.received_events ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.received_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.refresh_tokens (
    grant_key text NOT NULL,
    sealed_token text NOT NULL,
    rotated_at bigint NOT NULL
);
CREATE TABLE public.roles (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    description text,
    is_admin boolean NOT NULL,
    permissions text NOT NULL
);
ALTER TABLE public.roles ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.roles_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.route_repairs (
    id bigint NOT NULL,
    waits_for bigint NOT NULL,
    mautic_id bigint
);
ALTER TABLE public.route_repairs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.route_repairs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.sender_checks (
    domain text NOT NULL,
    transport_id bigint NOT NULL,
    verdict text,
    sentence text,
    details text,
    dmarc text,
    policy text,
    checked_at bigint NOT NULL,
    fresh_until bigint DEFAULT 0 NOT NULL,
    claimed_until bigint NOT NULL,
    dsn_key text
);
CREATE TABLE public.sender_proofs (
    domain text NOT NULL,
    transport_id bigint NOT NULL,
    member text NOT NULL,
    verdict text NOT NULL,
    sentence text NOT NULL,
    message_id text NOT NULL,
    evidence text NOT NULL,
    added_at bigint NOT NULL,
    dsn_key text
);
CREATE TABLE public.sender_uses (
    domain text NOT NULL,
    transport_id bigint NOT NULL,
    mautic_id bigint NOT NULL,
    last_used_at bigint NOT NULL,
    other_envelope text,
    other_envelope_at bigint
);
CREATE TABLE public.signals (
    key text NOT NULL,
    at bigint NOT NULL,
    ended_at bigint
);
CREATE TABLE public.signing_keys (
    purpose text NOT NULL,
    sealed text NOT NULL
);
CREATE TABLE public.suppressions (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    address text NOT NULL,
    address_key text NOT NULL,
    sender_domain text,
    identity_key text NOT NULL,
    reason text NOT NULL,
    source text,
    transport_id bigint,
    broadcast_id bigint,
    delivery_id bigint
);
ALTER TABLE public.suppressions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.suppressions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.transport_tests (
    transport_id bigint NOT NULL,
    tested_at bigint NOT NULL,
    tested_by text,
    success boolean NOT NULL,
    message text NOT NULL,
    duration_ms bigint NOT NULL,
    stage text
);
CREATE TABLE public.transport_webhooks (
    transport_id bigint NOT NULL,
    provider text NOT NULL,
    secret text NOT NULL,
    signing_key text,
    pinned text,
    created_at bigint NOT NULL,
    last_event_at bigint,
    problem text,
    problem_at bigint,
    delivered bigint DEFAULT 0 NOT NULL,
    deferred bigint DEFAULT 0 NOT NULL,
    bounced bigint DEFAULT 0 NOT NULL,
    complained bigint DEFAULT 0 NOT NULL,
    unsubscribed bigint DEFAULT 0 NOT NULL,
    rejected bigint DEFAULT 0 NOT NULL,
    ignored bigint DEFAULT 0 NOT NULL,
    unknown bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.transports (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    description text,
    mailer_dsn text NOT NULL,
    tested_email_from text,
    mautic_id bigint,
    is_public_only boolean DEFAULT false NOT NULL
);
ALTER TABLE public.transports ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.transports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.twig_template_versions (
    template_id bigint NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    description text,
    template text NOT NULL,
    saved_at bigint NOT NULL,
    saved_by text NOT NULL,
    note text
);
CREATE TABLE public.twig_templates (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    description text,
    template text NOT NULL,
    refers_to text NOT NULL,
    mautic_id bigint
);
ALTER TABLE public.twig_templates ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.twig_templates_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.user_transports (
    transport_id bigint NOT NULL,
    user_id bigint NOT NULL
);
CREATE TABLE public.users (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    username text NOT NULL,
    username_key text NOT NULL,
    username_skeleton text NOT NULL,
    email text NOT NULL,
    email_key text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    password_hash text NOT NULL,
    role_id bigint NOT NULL,
    smtp_mode text
);
ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_alerts (
    webhook_id bigint NOT NULL,
    type text NOT NULL,
    cause text NOT NULL,
    message_id text,
    sent_at bigint NOT NULL,
    left_out bigint NOT NULL
);
CREATE TABLE public.webhook_messages (
    id bigint NOT NULL,
    webhook_id bigint NOT NULL,
    message_id text NOT NULL,
    type text NOT NULL,
    cause text NOT NULL,
    events bigint NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint NOT NULL,
    created_at bigint NOT NULL,
    problem text
);
ALTER TABLE public.webhook_messages ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.webhook_messages_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_states (
    webhook_id bigint NOT NULL,
    last_success_at bigint,
    failing_since bigint,
    dead_at bigint,
    problem text
);
CREATE TABLE public.webhook_tokens (
    hash text NOT NULL,
    received_at bigint NOT NULL
);
CREATE TABLE public.webhooks (
    id bigint NOT NULL,
    is_published boolean NOT NULL,
    date_added bigint NOT NULL,
    date_modified bigint,
    created_by text,
    created_by_id bigint,
    modified_by text,
    modified_by_id bigint,
    revision bigint NOT NULL,
    search_text text NOT NULL,
    name text NOT NULL,
    events text NOT NULL,
    format text NOT NULL,
    url text,
    email_to text,
    transport_id bigint,
    secret text,
    old_secret text,
    old_secret_until bigint
);
ALTER TABLE public.webhooks ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.webhooks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_2026_11 FOR VALUES FROM ('1793491200000') TO ('1796083200000');
ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_2026_12 FOR VALUES FROM ('1796083200000') TO ('1798761600000');
ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_2027_01 FOR VALUES FROM ('1798761600000') TO ('1801440000000');
ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_default DEFAULT;
ALTER TABLE ONLY public.delivery_events ATTACH PARTITION public.delivery_events_2026_10 FOR VALUES FROM ('1790812800000') TO ('1793491200000');
ALTER TABLE ONLY public.delivery_events ATTACH PARTITION public.delivery_events_2026_11 FOR VALUES FROM ('1793491200000') TO ('1796083200000');
ALTER TABLE ONLY public.delivery_events ATTACH PARTITION public.delivery_events_2026_12 FOR VALUES FROM ('1796083200000') TO ('1798761600000');
ALTER TABLE ONLY public.delivery_events ATTACH PARTITION public.delivery_events_default DEFAULT;
INSERT INTO public.broadcasts VALUES (1, 1, 'Admin', 1795855750541, 1795855750799, 'done', NULL, NULL, NULL, true, 1000, 2, '{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}', 2, 0, 0, 0, 179585575, 2, 0, '174944124c86358e07ad4236', NULL, 'hvQfqx-RhaHp8b6XvrEj9UuU160PekJEeDRBZl0ZUZU', NULL, 2, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.broadcasts VALUES (2, 2, 'Admin', 1795855750863, NULL, 'running', NULL, 'news', NULL, true, 6, 6, '{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}', 0, 0, 0, 0, 0, 0, 0, '5d244a5bfb3eb8eddb74ce7e', NULL, 'fkekkqirkjn0f7IdawuCIybsuFVcK9wPDruQY-MzcOA', NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.broadcasts VALUES (3, 3, 'Admin', 1795855750947, NULL, 'paused', NULL, NULL, NULL, true, 1000, 1, '{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}', 0, 0, 0, 0, 0, 0, 0, 'd7a749161524aeb86725b3f0', NULL, 'xHFcCxpwANjp31N5vJDZ1bsf21PorLwS-mN4JFCLOPY', NULL, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL);
INSERT INTO public.contact_segments VALUES ('news', 1);
INSERT INTO public.contact_segments VALUES ('all', 1);
INSERT INTO public.contact_segments VALUES ('news', 2);
INSERT INTO public.contact_segments VALUES ('all', 2);
INSERT INTO public.contact_segments VALUES ('news', 3);
INSERT INTO public.contact_segments VALUES ('all', 3);
INSERT INTO public.contact_segments VALUES ('news', 4);
INSERT INTO public.contact_segments VALUES ('all', 4);
INSERT INTO public.contact_segments VALUES ('news', 5);
INSERT INTO public.contact_segments VALUES ('all', 5);
INSERT INTO public.contact_segments VALUES ('news', 6);
INSERT INTO public.contact_segments VALUES ('all', 6);
INSERT INTO public.contacts VALUES (1, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n0
c0@example.com', 'c0@example.com', 'c0@example.com', NULL, 0, '{"firstname":"N0"}', '["vip"]', '["news","all"]');
INSERT INTO public.contacts VALUES (2, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n1
c1@example.com', 'c1@example.com', 'c1@example.com', NULL, 0, '{"firstname":"N1"}', '["vip"]', '["news","all"]');
INSERT INTO public.contacts VALUES (3, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n2
c2@example.com', 'c2@example.com', 'c2@example.com', NULL, 0, '{"firstname":"N2"}', '["vip"]', '["news","all"]');
INSERT INTO public.contacts VALUES (4, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n3
c3@example.com', 'c3@example.com', 'c3@example.com', NULL, 0, '{"firstname":"N3"}', '["vip"]', '["news","all"]');
INSERT INTO public.contacts VALUES (5, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n4
c4@example.com', 'c4@example.com', 'c4@example.com', NULL, 0, '{"firstname":"N4"}', '["vip"]', '["news","all"]');
INSERT INTO public.contacts VALUES (6, true, 1795855748895, NULL, 'Admin', 1, NULL, NULL, 1, 'n5
c5@example.com', 'c5@example.com', 'c5@example.com', NULL, 0, '{"firstname":"N5"}', '["vip"]', '["news","all"]');
INSERT INTO public.data_keys VALUES ('87016ebb', 'dLD5sd920gurvVZTmQrZ4fnQ+bUHmT9HimPb5VInIcz0qhhdQTN/+yJ50eHzCqpbf4xTxWzfxpa8IaHv', '1c0f47864cb1ecb4', 1795855747135, NULL);
INSERT INTO public.deleted_records VALUES ('transports', 3, 'Deleted', 'deleted', NULL, true, 1, 1795855748243, 'Admin', '{"id":3,"is_published":true,"date_added":1795855748187,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted","name":"Deleted","name_key":"deleted","description":null,"mailer_dsn":"87016ebb.Jk6GFacMuR1S+7ATvBab4scGi8s1jviIyT4xV70W6T0UqaxCt3iM","tested_email_from":null,"mautic_id":null,"is_public_only":false}', '{"lastTest":null,"uses":{}}');
INSERT INTO public.deliveries_2026_11 VALUES (1, 1795855750460, 15, 'api', 'Admin', 1, 1, NULL, 'news@brand.example', 'c0@example.com', 'c0@example.com', 1, 'Inbox', 'inbox://local', 'accepted', NULL, '250 Captured, not sent: /api/inbox/3', NULL, '<a2005813-2c03-4a58-8e88-fe115f43b38e@brand.example>', '3', '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]', NULL, 0, false, 'Welcome', NULL);
INSERT INTO public.deliveries_2026_11 VALUES (2, 1795855750679, 24, 'broadcast', 'Admin', 1, 2, 1, 'news@brand.example', 'c1@example.com', 'c1@example.com', 1, 'Inbox', 'inbox://local', 'accepted', NULL, '250 Captured, not sent: /api/inbox/4', NULL, '<078fcd114977acf8c483760838ab90f15084d37d@brand.example>', '4', '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]', NULL, 0, false, 'Welcome', NULL);
INSERT INTO public.deliveries_2026_11 VALUES (3, 1795855750680, 21, 'broadcast', 'Admin', 1, 3, 1, 'news@brand.example', 'c2@example.com', 'c2@example.com', 1, 'Inbox', 'inbox://local', 'accepted', NULL, '250 Captured, not sent: /api/inbox/5', NULL, '<9fa8d5ec3488593d3d8d4e6da35a2a680508b089@brand.example>', '5', '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]', NULL, 0, false, 'Welcome', NULL);
INSERT INTO public.deliveries_2026_11 VALUES (4, 1795855751088, 30, 'broadcast', 'Admin', 2, 1, 2, 'news@brand.example', 'c0@example.com', 'c0@example.com', 2, 'Closed', 'smtp://127.0.0.1:1', 'deferred', NULL, NULL, 'Nothing answers at 127.0.0.1:1 (connection refused).', '<a645e352e58fa4b9a43ce2aee0d7b7e70118a0a9@brand.example>', NULL, '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]', NULL, 0, false, 'Offer', NULL);
INSERT INTO public.deliveries_2026_11 VALUES (5, 1795855751095, 36, 'broadcast', 'Admin', 2, 3, 2, 'news@brand.example', 'c2@example.com', 'c2@example.com', 2, 'Closed', 'smtp://127.0.0.1:1', 'deferred', NULL, NULL, 'Nothing answers at 127.0.0.1:1 (connection refused).', '<d43ab99e7069e41b45ee5672e3964913435d266e@brand.example>', NULL, '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]', NULL, 0, false, 'Offer', NULL);
INSERT INTO public.deliveries_2026_11 VALUES (6, 1795855751135, 11, 'broadcast', 'Admin', 2, 2, 2, 'news@brand.example', 'c1@example.com', 'c1@example.com', 2, 'Closed', 'smtp://127.0.0.1:1', 'deferred', NULL, NULL, 'Nothing answers at 127.0.0.1:1 (connection refused).', '<b68bd8d93aafbcd6bcf6563654ae7772040ea270@brand.example>', NULL, '77949cdb-f7df-4dae-be66-b933bbbff03a', '[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]', NULL, 0, false, 'Offer', NULL);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (1, 1795855740000, 1, 'api', 'accepted', 1);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (2, 1795855740000, 1, 'broadcast', 'accepted', 1);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (3, 1795855740000, 1, 'broadcast', 'accepted', 1);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (4, 1795855740000, 2, 'broadcast', 'deferred', 1);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (5, 1795855740000, 2, 'broadcast', 'deferred', 1);
INSERT INTO public.delivery_count_changes OVERRIDING SYSTEM VALUE VALUES (6, 1795855740000, 2, 'broadcast', 'deferred', 1);
INSERT INTO public.delivery_keys VALUES ('5f202284-53ab-4b4f-a161-a17c5399b4a4', 'message', 1, 1795855750460, NULL);
INSERT INTO public.delivery_keys VALUES ('email 1 contact 2', 'bulk', 2, 1795855750679, NULL);
INSERT INTO public.delivery_keys VALUES ('email 1 contact 3', 'bulk', 3, 1795855750680, NULL);
INSERT INTO public.dkim_keys VALUES (1, true, 1795855749351, NULL, 'Admin', 1, NULL, NULL, 1, 'brand.example
mailyard-202611', 'brand.example', 'rsa', 'mailyard-202611', '87016ebb.8IE3DYJ6TarTDZjS6xXSq2ZDcttyFZZTDkmAn5yhDpQF0C/fbnmZLRCnH9+331wf9te9xeTBEzvqwO6WTaq1+fSP2QgagFj7f+l1e4LIONKbHloa5Ou/1xM5BqgMIcnFdwOD7yBYPO8Q5P7SiPynrE0rKvRRT3AYNaUcvMZUtoZqgZoKlwAL0Y/qupBSkKaSA2xbhJZ4JFunOZYTcqc62h3Bh9H8l3U28nHYtjfdP39CbJYcvmA2Y8PIKex4R22n/fjxieIbK61HPRB/FiigJHATWiHDZrsH5KzcssafHmkE/9+vG+q8chsV3HrbugIE30G/zmOB+E5og1L1G1+ksPdpU/67jESDJDcXxLdSlJfoK+bf/EYw/vYz8/xm7ePXljDNy3rZdduEy1wtmWjB4N9jYRBcUa5IfItsp1KQnc9+dxebg2wrp//yRxEdO/8EBtDg0NRDXBl3NXDWP7TfwzXVqBMit0yzkHuJw2bKRyrvc4edSj6fFX5XllnU9venjMX7LJEKEtxXGvgzhBmgfbkxnfzw47AiTJLcSNt+h5+njWdM8ZOtCZd2OL2uli+Pna5dxK49Hhr0pYXxUueim8bMl/eiOFqZXdyJUIpHaQabYpELMjx3BNqZcdC4z08aH2YM1o/R5l3AuBobkvlu2Fo5l1lG7OvJzNAsTK0/fVkhxOPLuoYJ5ZbU1598Iz15Y6BTUxe4vh+9uA+oGZ1WB9uL06G3WxQIw46QkpytcmMoZt24BqT9QN5BuhiuyAXZFq+YXsr04ye4EhGWqBCxa8Ii7KX6PrypzzPkbShO50wRqSnJSuTug7u8fUDFgEGoI8RQrZhP7E0Es6jVBYpIXTtIbkjIu26dbB2I3qCV+cJaa5Vgr+lvdqFbrKxws6RQu3BPWWtqwVZBpDESb1XMbftiQlq3PwnvEtHCltKfQK7OWc3mIUCbPI9lzMEl/D6j79T6X/nC8cN0Pp3Tjv6UcuOvW3Ibm3Ehk3GW9lwyER6mUr+he16pIjaeuGGjlT1UHNOWov6Y29U3XziNm+3WyonYmdHNIckqsaWCqWwfSKaa+AbxLY7EBtD3CUyiKYZg+pIFH4Pb/7syoDIB6OSpsjWqomnEPsSJb/ZYMVNvPFYSWwkhNbj80vMLdT6dDsYDQe/K8JQcEUN39U569awvu3llm4z323Tf6LL2k2XywOWSSnqemAyVjgI5jCocZIlGPHrUA6LQLLtAHFV1obqyYUJd1NHaKUsMkQpq7dPyrMDeOp82NH++0z9+KP8ER5rzqd+S6hURStY5Wdu0B3EtXodWOW72OLIrj3sFHjm+ZcOT4/r4dJZ9qgSGicuRf7a5++6qBUODwHZdgRPLTLtISWM31w+/UN+tPcgMTMpB4GBYlMCVTSSQ7wvFhmepc4ofxYzqIoTuqDibMO/z5yAMDMb1jUfbPiU3+FcqVII5FMvN1I93zT0tmqJo/Tg4bEgULFxjVb9xa9g/n1X8AI3yMeDQUIItQ+xYA21iIX+ecozWfS6Rs7T5KoiCk1CgaWDLLfZG8MVkY2Xy8V/qXjAjNqWplg46soqD91CF2GKkjXG+ETNM91F5a/1VIMXbyUtKX7z9CeZU6UquqebI6KKiA89i/j3gcTY1JXzM931mpGiQCWTTVjWaiT19xIiRwgBR2zodB8nOPDaSETmi281ehgM59rqXkAKCNX+ptlfFarCoUYcWVXjtsJDl+1TBuVpBcXcPgMzaO0eOE4EhXXb3sc3KObYKbu8KDrI5XWTxuHLTNljRK8iZqjG9htze9UV1tMclwhIRT8u5R0EVqn6X/BbF1nS1wt9Z197azfb32Cu0h4C/riGMoy6G51mjyIvj9PQqOX9vTRcSHKp7WAy3eWDUDg0l4DJOop1AYQnAQRitVmxf1vAbZraFZyAkQ9MrJ0zQOy/JaO0y6nWW84E9LXsMmmBSFuawH5o73TQym7Y37I9myIT7fRaPMubTNdnI2A0xHLVhNak2PpBgSXykbZeN84vTC9R+ppTnEFuAJuNQ650R/CZsawoIo30waogitITA0rHNnQSjvuiZBZ5dQFQGerWkwv8h7EaNv2160xTB/sGTWjP6wDusN3BY+jahdz2CQiPqWPKilmukNndkBEuEG7Sp41ifSt2kf5PUxyyp76VTQIBIWZTmmwfFd80mhLJ49qKgqD6h4GCYYjMjkO0cweWKbGgvoDov7kdaRKZ7x+JYgBqhEBQ6vAbfLlM6ZFeUnv+ktwfbhdWxW5cUba9NIYPiIVO7aOs7ubIbxKFa06Vebse+ljHyoqiqbAyva3mcaw==', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAsjX6zUYsf+Mvict7jDjvEhsT/1+//2J07SmA7yV+T2FND7HwhKkoB5AyZL6HQQyee1HHlcmjH1op4pLBhT8Xx4QRrd2f1D1NORvSX8JMlu4aHAu3L10Y0oNKXIF99NpR3EnmD54lkqtFqq4FAo4xChFMPVEUPN5Lvm7O/oZkhK1SXETD+F9m4jVpwow6gz5/gJTsjG6sEXVEqkqLeOKOhr5uGcmwS8z+N4PGiyzyS0jaK6StoHDz8PocqcZAyOnunm5gHvzv6lVFPMOaQgCUfti5S1zkY+cneYjAzhkyK/zOlmSvYNTqVqUuhx8h+Bq46Zk6LXQom7746PPurUiH3wIDAQAB', 'active', 1795855749497, NULL, NULL, NULL, 1795859349497, NULL, NULL, NULL, NULL, NULL, NULL, '[]');
INSERT INTO public.dkim_keys VALUES (2, true, 1795855749481, 1795855749741, 'Admin', 1, 'Admin', 1, 2, 'other.example
mailyard-202611', 'other.example', 'rsa', 'mailyard-202611', '87016ebb.9pOoRYWx+itBcugqG5vMOPpkFQGJdLRHNckhFee1GwK/U0Uwy/MEkjyoNJED+yP/2mycgQSZtPbYh3mZVMzMwFu+3JGoruk75+/7tVGlG7uB753OCuoSUjA4g6GE4i6stpZS8J0PCgOV/sofoDKNlrAPFZqCHZWHsgzFjGNV3QgR7g8EzXpMUXQylEgmGnZQiuzS385l84vUN1yYm5ZBcKO4s+U0p9qOFeKD2mafF1TtEdRE/HB8CHM5Zt+mXjfhS8IjeinqpxPX3JbaFZhAtGBhUdNtwL0n88IBidrBpqx1l+1yC2D49N2tO8gvlfNKMRf8AZj4Du4zL4nf23cK76cd9VLnZ3th5vbFe1/+y43pNyqept7P5toXRaUHlHa2Cj5JsOUYagpCc/0SSk43yhRot3ZNu3w+FN/D5j6JA2KItp3S7XpkyXyqdYm00yAVujVB4Wi03sv3+MKDskVwgEIahdNyhecWvB/88zuKseTznB/sc6RLHMsMmK8BD2vzBefj2ScpX/V+Ir3rxIFy65LufCINqahq1qpF2E1ZkSo515EHVFriPrWoED4JhFA9xG+a5YgIRJab95zRAB22s9CVcCsE6s/f93IakOrc7sX8oAPYKTjL1u/xHBVDcXkROy7gT63xDFQcWDPEf1dXKda2RaRBRXddXubgISyvO+LahKPjFSupmRG7t6vh05fZdXe4jEEut9N9SxdUWkPPHMEoseEXKUkVaPFCPjBJNEu64wHPn9NDYErmweKTkrm5fR3+XaiVNpWAYKte+MMdOdmcOJ9SxX0hVsxyyUzNoa1ZqithVsMosp/FgWmyvoqsQufpIbeSuF6pNf3O4eqkoOdMcHIBvlCpM5dM9yL29qD01QJWnpEfjcmoBH7NiwTd2um5DmNaliyINes6HOZFeVKXXiVbc4Bucb/tXHqOf7m8STltbUsi/MAkQq6S2MYSWEm6cdWr1N3QO+hLbJo0n48QQrDD7ylLMtPEduYdx2SWLpm7iLIlxU/XynaZxsxm3E1HNR8sK7GRSwUlSThPCvzGDMmNgfofyAUHwd1dpSIjhlFCy9F7mqflPJswPh6TLgesJ0jiLD4ZcLVQl85YPeo76c2MMJpzWw+EKsQ+8462tcmZW4wiM2YOu21+RpDsGVRgVJoKtAw+mGnphNp1Honroa9EUIfKYm4d+c12NYoiG2xNRjBjC3o0frxvxoQDMIRNddiRXzzLRcoEUsqI192kvSJpc/7WjuNtr/XEwRMEmpD85WAr2scyHlTOnbLVo0FJcCzWT6lZnsXCSaHBLTVCFMIj3Jg9EI+voDUUBLM7hGELvZ8Uh6U6jFv5M1GPeqEjGqKXPIlCW5U62To1MAZBe81o8NknvzIV6rJWEicZuVp3jfmmwZquu8fI5O/lSXhgpX50v+ZKnCE/ai/pvUfLcyeS5TcaIHY5SvZhIWAkszgf1AK7U0imeuinE/J21IG+sGP4pFmG7zhUi1Gkp8LarP6QeOJkX0QGXiBEHbD1+JvTOVeYPquENTUYovuH51Sb3JLtYzJAHicQGzIsTMH3yABWS8RSfJcf80BvdB02jJ0swJYNisctlrWWQwBH0eLAy48otvti7fx+AqBCoVvtd6F6yxeGQzcCpZH9rKchtMsyS00FFsKNvBszUmJBQVJWL4myAEPSiK2/PFDuZ+gBvoP4rbr2DMawhC/yJsFnbk4s38P8kugnUVkH/HPFjJmScPn3WFBfgIeIBJaEfMDz07yZjN3awWFzFDgO7mzxuFLhs7XWBRh7g8ItFRjHWNHyNVh8PRAOP9APzXblxnOQvXDaZIZ68vUL48NOQ4gjNeyC4BAu6nE+4g6DlSmO4CmWUOKK0FgrnD8WkYj5XZdESkNT3YVyPS6hTswM01tokdS1a62R1QOhnGt46FbmYgl4gdW+gkqZN5gRhLOeC3FhIE9yXUOvK1j7Nt4ZYtjlIfkT3hjEkYoXqDZD1LvAJRZ0YQLy+rmHA+3H49nzdp2iNR66bwG7MS+OaCN7PWlAbAZrwyiG8YjyaSrntWMc5npO6pA0vftib8W4SNixUpTZfN1RK753TeR764M0uk5ZbTU9PZSkDLHs2OJWyc64yFoSDg4bcfp9lm6j75Nn+nGOJ+VzPazZFEP4w99VgS1t2DtX7tnXNovRcsltMvy8s3aW/+3YSpTST3lJ4IOsf1h7h2qiwqH28/Kpw7YsrqkuDHXAy6kmUfhAnQsdMCn56F1I/IRxQvAnoMo0oy5th24jpd24cZqaEMtQfKlIcSnDpG/HFuWPXIgr67VddfJiIe1CFA==', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArQJlaQXvhdcxQVXB1xYRu6FoggYa5r6nEU1GGFBfS/SSi6G1p30wZ5fBcdnamo9CgKv9xqVyArm/BMmg3iQbTea3J2M7hUlWQ+1CtuyO5wlKEI/2ec4avuF87mnr2Bqn630pCsqcgw1vVGFL947RsUXkECH3gWhBEfJjnxSZX34iBlESfZsmJXCgJNmRnmCCEv+lqHJdozo1uYTe8xLrWD4ifJMGcyRTt9tSdkZWertdUnAxJlpTfdRxUXlFGfmi+1tRnT7JjaZZ+L8nOJsgIURb3upzOafWV+ULOS/sk5Fqywb9poXGEwLWnnlKTFWK9r3hTC1Nyt1jzZ3l2+DriQIDAQAB', 'active', 1795855749497, NULL, NULL, NULL, 1795856049738, 'rsa', 'mailyard-202611b', '87016ebb.VKKfwXKba905BcUOSJz9Z50wAi/r1CRMXWcNYc+EGyCZ7L/6lN4nW9XmWweG5BhDZTUQKsIx9UNdkNBpbOFWnSmCA3jARsDnEeLGB/AVQ9gwXgBCCboCPYHbfqcl+WW34lpGmdDP7QscKxu08AfTlspZdzSrDojDu3mCzu643DjtSJSfX9IMvIJlZYIioG2sFHKrUNCeLXVr0txoKgRE3GNyrm7Rl1yF7WlIDhJzC6F5aLSsfKbHAalnB8u/XVYAhDnT/K2fx7IbhbBgWF97ukXRkyAmGqf7sxQlyrYvxuG13MjTVkIcOD8/9WmKPynaI7jFGRlUZxIIeknZKTWoJtfHiuvz5OaAeccSUjQ47MNQI1W0oPT2CIcdMWx6To6CYIfPq5OM5PiB4fJvGA/BpFBv1lUheRY6L7xm6sIhl5KevwfO1mCvSIGewslX9ZhPzuxipl9QpXOdPyrdqIO77vgKUFXcRCDE2Z4LYwzmGbLvptA5jDkANIjPry/T5OY7AqJBfCSy233n77NRbdD6x8/wvFDv5LU/UcMePsVSn7zqS1rxSl0h92JF83AD0/GDZ2uo2xhaYr8KqngfbP+8vsGbHtsmcVF3384zi0o0G1A0/qihaAivC/zylKtv4p09Ise1E0lHkevwMPx4ZmxOy99TglqTHdh64BK+y8PGu8VHnAYKQ7l8F9cmFcSRVRqXsF9S5aDGgnxkNcH9IxMn8M7Ayyk+aJY8TlHJNmovPeEWtqOwG+96HojoEXCxYv3Zfksw6WPrOuHWoIeUdtVENKF5+t6jkuhGeitH2hOmYC8qBVC8SyJQ3hTWsiFfL+mUPDORaOlnt4g1cOIakppfy60vS576p9FQGgE1L5H3CjN6nH8PhQjat7pX+ulfTSURbbZLTx7NHbFrWVhH7ncdQC3ZPuJQFX1h3zzjmVBLpMqzRg62yhh7vWoxfWz3qVOe6+NO627IT7AHOrUFZ2Zhk2Oaj4OvICcTx9FCNk9dnjxuk/wLto4pxWj8DJ2KqXGDFWqAVbSrIigQgbu/kHWtShFJcOLPR8MUPmcZ0TwSCTMlBlvM0822RpBoLzBevflTq5N3nOaYaDOGFN+W9k3yvL3PSqfMivgpxP6A7oeJ6gRXLz91o45T3dvj6mOsmDUa1pYbeH64msXxdBUkbL9O/Z63gWD0h8CqALiNbt9+rkNlhVViyWImdM+0AsDDp7Ny15lRRsqoBdRC49jBGlmMzuYTUtjqAihrhKv6tn3XMDwJxW/2BqRN9SPL4afNyHAe2bRqQ6BWIIZBBZbjaWVySHuG3kovcvy5txY3+ohQz1eENz8wRhGn2OGM7xDAa1mgMwxxIIfZAZ4COsNMeMkqmL9t42R5aOOPI2QhZfPJqULffk9PdE5EgHDG1ilxt2SsZxsF0SJpRFXwIKYZWih+NpGQPtfbbmPzDECYHGBQvt+qwepkAoFwoYtr6+GIOeye5lVi3hFj2/Pi6RBznthaHFH7mjbfqlpaE75kVllInfRWlpNJj0yvIH2+bUqhVld+KtbURe6lRAvLN3ntKEmAPPERBoLIqcXCWyMBLVKoNZLdezC+eqg+chzNUe+jZeFzdaBEY8/g4lYhMKbEU4VxYdvA1LBJjvhwjGCWmp1ly9lZwov9IgXWzEqhqvFYWJqQwG1a9TY6X8339Ox4kybZJKO8UNBVgI1/In/eUzFJr8KaKTcI+qSDeKIYRN5MRC55PRG06WJHDPs0H1PryC/9sVVQg6Khorgd/BQc/GZs4IgYncipUGUf4sWwUmyQIE2sJEWiJk87Ato6LSHXHa6z/DBS0/llJfg47D1VBlyuA9SJjgTj50DwxB0U/ZyUT26gV+7v7WD1mcmVORAdgY9cOCuJxM1qYhTpHLEi7zlMJ64Pj6r5zn+LMx3MMMzi7mL/daHXi4pvb2QlJt4BK6yyT1UZ11oBxFBoHRivJkeVfOXjXQIz+wyE0bvGrrtx2S09IIOhB9z3FpS4kG2zkz7RZ1/IJTQAQ3iUspPok1LSUJaPlRulCohmE+9FM45M/+slyGe8kOh/MGO4d5yG/taEUr2vSlUmlopvqy6SsMfZPM4LjNyxRgepJ3ibS9HQmNGRstejrWHwVIt74/eTCQoCW9Du80aUAKmqkn4SZQ6Pd0ZzPkg2PyGSjfA5MKBJRwKZUdQ7AQfO9m8sDzIcFnEDyD/AovoxKI7c+OXkU0blw6AEtTteEm6EtazMff7/t5Wnxs+eIUlX5KoAhrw7glYPANnauRPpvg5y3mLCNAlkrlWH/gUDc+tLNqb6WsS11J3HcF22jQ==', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArFwP8MID02xPMK5T44a8aFLWUvmFWwb53RRC8+USxPNiJjpgTtKuDMTtFxq0TPG1MD0ndMeEavW2j+TXG4487VRTPQmp3/GJeXmzhnWdlmtz8FLMOiOcXafBLdJtDCs/CilSlH3OfoKKEEvuhusPaw2c5M6GirC9bwuePxhHHgUX4snNIiUQ8jfekByFLmOtngt+Rw0VD5ykfzSoyimRb65Q1RIs9XgnrYU09JFY2XeweyhPq7ObpPljMEy6Y/CVg18Dcxn6VyfTwdCMfHs4KteBRPSm4axg58jmK49pVuoghtQhAhhzlyqjEWd3a07NADvwhV4sGSG47RjDXETFGQIDAQAB', NULL, 1795855749738, '[]');
INSERT INTO public.email_transports VALUES (1, false, 1, NULL);
INSERT INTO public.email_transports VALUES (2, false, 2, NULL);
INSERT INTO public.emails VALUES (1, true, 1795855747169, 1795855748651, 'Mailyard', NULL, 'Admin', 1, 2, 'sample email
welcome', 'Sample email', 'Welcome', 'news@brand.example', NULL, NULL, '<p>{twigtemplate=1}, <a href="{unsubscribe_url}">bye</a></p>', 'Hello {contactfield=firstname|there},
this is a sample.
', '{}', false);
INSERT INTO public.emails VALUES (2, true, 1795855748688, NULL, 'Admin', 1, NULL, NULL, 1, 'offer
offer', 'Offer', 'Offer', 'news@brand.example', NULL, NULL, NULL, 'Hello', '{}', false);
INSERT INTO public.emails VALUES (3, true, 1795855750911, NULL, 'Admin', 1, NULL, NULL, 1, 'paused
paused', 'Paused', 'Paused', 'news@brand.example', NULL, NULL, NULL, 'Hello', '{}', false);
INSERT INTO public.inbox_messages VALUES (1, 1795855748353, 'hello@example.com', '["admin@localhost"]', 'Test message', '<281bf95e-30d6-d5a5-b712-4782bf681e1a@example.com>', 1, 'Inbox', 534, 'hello@example.com admin@localhost test message', true);
INSERT INTO public.inbox_messages VALUES (2, 1795855748442, 'kept@example.com', '["admin@localhost"]', 'Test message', '<271eda37-a5bd-e5b1-2249-9cad3d5a5814@example.com>', NULL, 'not saved', 369, 'kept@example.com admin@localhost test message', true);
INSERT INTO public.inbox_messages VALUES (3, 1795855750480, 'news@brand.example', '["c0@example.com"]', 'Welcome', '<a2005813-2c03-4a58-8e88-fe115f43b38e@brand.example>', 1, 'Inbox', 950, 'news@brand.example c0@example.com welcome', true);
INSERT INTO public.inbox_messages VALUES (4, 1795855750691, 'news@brand.example', '["c1@example.com"]', 'Welcome', '<078fcd114977acf8c483760838ab90f15084d37d@brand.example>', 1, 'Inbox', 1013, 'news@brand.example c1@example.com welcome', true);
INSERT INTO public.inbox_messages VALUES (5, 1795855750696, 'news@brand.example', '["c2@example.com"]', 'Welcome', '<9fa8d5ec3488593d3d8d4e6da35a2a680508b089@brand.example>', 1, 'Inbox', 1013, 'news@brand.example c2@example.com welcome', true);
INSERT INTO public.inbox_pieces VALUES (1, 0, '87016ebb.nALHUK+u/dhKH95xI4V6qVzK1BzUe5y3U8nLPQJiJgbYOWnmx0HeY6UAK99wH1LVB9HRtVZp5fXmRtO+77cy1YltqAYcRHO6piHc83rDwaAIGd1NBhPiA82LoUsQ9KmJaT10LD10pefzJ2pSgoHjKGapIn2hwivL+E5MN99TvD7l0BsmTju6G6DatlgAiDWp+7/nnr1fVcade2c5mKJ2XvawHoI17kNJkHLERjTv0mF++ski6XQRr2cZ6Fi7v9j+gjbNDZ6ULWQji45KZ2rzSGIkhLEEahHBCdzxHyhF5qB8k9w42ciUJZWYWKFls+SY5R25G1wZbMQBeJSeCdDRlQBBIhALDp2dcy2PxsAg/DdEmeKr7o6RH3ReqFKXvqFQyhqEpmv/ZGOStklNZP2t+kT3kULtWc2L0SenhNaSNHbdSw5lt8HauYPZ7JDuCsHB/gfvy7vq5rx+tqL3BmgIgNYJCpyztPCZbUfSwOuN3NJntFFXvyTdZgwoDZ+7aqFgqQTQ75f6JcT4VMPcexXwkYLoM4GDY1M8fCX6UNy0jAO9qJFt0gtfm15OAccSkystFk0jrqGgZjzCww5CxboL5E4KlAiOQDhLU98VwksVT7Az7Hxk/7V0VfqsHAULhs3WJpPkItdkPvtS4ZOEG/BhPdw0F51/bsbHQY4FYjkEDRtHhaM4tOFpG1CzfsBgE7YSAxvCmXRUfpApJ0FXD4cQZ18GTESYZCWO2YuH51ZpfpHwFQ==');
INSERT INTO public.inbox_pieces VALUES (2, 0, '87016ebb.tLneXASANUhMMEfJxJKpZl0r/xSrvdtj5TPbgIvw6/NZrMbHT0DRsdKpbLe4W3450/f/ZII7frLxc0njhXipwIc7mv2CBIcqXpYUgTxj/7zG/0V7O5lDGpW5GMvG3jx8m07csJ4+TTxY2yBhJAke0BwdsFo3d41VhWfMvYEW5pmtUd8mENde0pW2rhWxTKOs3Zz4irrefVyYNy4Iz7redw+31mmUnzEkICe6oY8nn8i9e6M2Nz77J8tu+Qdy/m9CBWxGhuv1CV83ElGq1onhJZG8C/FwMn4Ph13oSdgoRMIxUnUSSSaIyzYRgJs8pGdiLpzhyyG8ZAjOoRGB19rrF94E7IL2vhW8FES/sryGFsoLS4VvaVwKHTHeaDo3+lqqsgaEpbM8ywN4f3nxFrbAi8/jshDbW3JRmDJk0GNCfyQqbBGvWfNm4KQPlpqpLpfK8fQwx37+NvsG3nsHDttr4LWtPDfCo84/HRyOsDRav3vRxxdMnxAzos0RWa7HodLeMS15ObIugJO46I2N6Q==');
INSERT INTO public.inbox_pieces VALUES (3, 0, '87016ebb.eWwk80otG2Ys45oYq/aL0zapuS9QqPKBzZkifowKjGins7If9qAWFShWjJ+HTDQYD85z84TxXlRsb/GE+CGBZj6/hLFSLJ1jw+3PcWe/u95gvuXHWCWKtJy4GafIxJ8VbNMGkbiKUVSM/elQxpszVjj0rjtJEPvts6K1MRodmAU4/T+rD5ZlvVSczrFuN7xP8zcPpqyvBiw7LUw00OSn3fVdiDHQLATevNCJ1VA3K6uCw+4W24WpfbtWk6gyx85VMkRxLNdSBJ6WSNhFadkY3er6ka9QUUoKV86qQLz2zUVq4QAqnjK3WEHUjJAqkEhLWg92mJPZy0fuUaDTRBBTePyI6Ww7TJJkotBSITRgxlRvTsZcV7147Rc6xUD4RZPPj02dRrt6iPDgWKIHI/g/xqWp9GbjZ3U1tOmm52OFcndi1iAD+GleW0HuXhzDM2B7Xbr3LmQjFV2bon4gWEKzdVcVN4umxEJgwQYd4so1HqKnoBygh7TRGoHXccG2zZT9Cn2yenCrU05K5Gtb4/WgyVSi9e2GKl1RKxC9nffQQo4m9kLp6JWJ4q8IHaJpTFFrDd+GeAVfiqwjDN6podfcl/iJowObIoKStu46d3nenmgDAjhUrtAyhcAgN6DJ50ZHVRu5v50MuzOb9TW8FSGlzscihBRQ3jg//iCVsgw5ocB/ByXw8/ZLV8WQ1+hO81FunW/cUjPnqUvk1HwEX/cqigdg4f0lN9Od8a7yHgq+uZJR3DCX4WslmqVWLtDXPX3Mu1frAX5MX0WKBHnCgBrCII53h4wXBVs7+ccuBTzv9+mnRmeZA+AOyr+YgBUxfxs0kJG5KEm1gUAwVUHB0MMLbtwTRWYP3+AsPOE6n4n7Tp7kGq6rNCCHD447CMMCNGppmgCSvkrk2O9ysbvmI/MdJhzp3Jn8GWglOzmr/dhW9XEAJcwePaspFTr0sTPNEVNhX3+Pl/I5pQJA2J2TV/zWWirUEq9D/hlZgia5d2s1iF08aflXViwViYr6v1V3As4cWg2HHpdlwfBseu//kqgcRRTiOSvl3jIqRjSQ0eO0bAGKPkljN8Pr17XL9KC/QnP3SB4hfw/OWGWwIJSZ0vDGcyN9VRpiiiFXtt5wGyTUt93142UNwutXbZI8AhEP4/cTUP1Eh51vev7yJbXEXduPzV7d2EKvYykSUIGL3u+p2GShJGp+w2wATsg6HRl5ogNTYMbq62cBbaaV7zbJ+DP70u8bJoD4Jhgv9EMF9CQYE767RS3drGbGGOa8SoJWBnPGcGzX3h51KQvx7ecmIVYQ530Y');
INSERT INTO public.inbox_pieces VALUES (4, 0, '87016ebb.Z5gKXkCjjhmUfVoOtyoEf/xhl3IX1qJL07Tv81PLk0j2jClDkbBe5PNoqfVKWZ16H0CzBd2geBNRFcTF+xac60HuDL8VqHoc7HcmL/tQlcKapFC9BSkFaCIEXOLPBv6Mf3w0Me5yrp79gh+EroFnZkUw0kSB/MBKJSGFvKtzKERwGo2Q1Ju0C9IwNBVd5tRzKvTkPHJV75sDg5yBfy4EdRVZk2mbHj//GNVec2+MagRppJV4rDMbhx+d3ezbqCW9AhVoZp2fuvP5+hRxvzc5T/KzZSwI+z9x4fU7Yl7u25lFVdN/rwmB1lDg1q07PK3qzCP2+J805x6SltK/Y5ZfP0IrcYcFaBmIexZKuHaQoeHCJm7h/W6mcF2TC2J4ImNNiNm77gsXpRNuK8QqT4SkrrFfq7aEyHcUlU77XEy/5MNYWoIZdImT+X9c1KxyR09X+rA0FpzGNtzhTLiAzXynQyZKSGPULjP2eAHJYvUQ6W8ZVlPmRnQhuIdA4zurcF/MKmkSXhIapDYPAKEJAnWN5yVdnjLgYCkzmA08wF/uaqaSjV0SVxXe4yNHsPmWL6AoalofCSRvk+0rNvya4f+AReYHosaNb4kp1wDL0PAGGPmOxq+YTaiDaX3/d8BFhqxJ+LJMaYq7hoCioMCJy3YyMFKP/x37ds8okQB9FrIvRuk/0AsFsamIoOh9sZ35oWBaLMplD8N/tXVF/hgQYHzUqTxrr8OEisI4foWLy3Gs/1Z7khRMznjCJywlBSspA4L4Hi2ktAAjiwbghvVj5gJ15OGyYdq5aXzUoaY4fSDufC7ay5iX/gUADMLaW9srvi30cPrqR6RfuJa7NbmVDDq733GladoNb2b/OcQDIqIQTSc0h4A3LAGFG51vriZyoc09p4tAwrUN4uwrLAF/ChJeZ9yu4JRDq3PUvphC+o7Q3bBfzOr1gq1MeMI8a1xr0tJTwR43QQ5TYDdVEFcxYh3biQSypkDvccu/3vogn2Adtoi4z3lC4+nKHgFbqelekt/M+EEiVwItYkyC7cR1O3jqdz+AmGYbSrj0Hg94WFLImP53SHlUX6reTKV/9GK1g1ZQ5PTg9eoK8KLziqGaAgMOXgssXDW2fG6wWK7XfGDytU3oD/7JPP1MH5Q3zV/jEsdKKQhQyRNf9ThVxbLZhT0ul8WD42o4TKFyEtL5pZH7H4CBEaOyc9d2usAAH2bEkCitqrwd10295TZNRnjlNUHPP3955h7B6KE3wQxGEykgDWWZQmiXXZE3OI776W3MhK0Con9pwiosleL7FmSE8AS194GJS8HAUp9zmRyd/lTx3NtBfb6FKgYSoUhU9ztSL9SOWXxk/v3fxMwT+Th0H8WgpRX9zCe9pFJV7dOZM8cwTPnE');
INSERT INTO public.inbox_pieces VALUES (5, 0, '87016ebb.ppmhorja/o/pYs7Q5VgaYbFzYnbbqfTQzF/txXq5znJYvQ2dxOMm8hHswNpVEkkv5FHEk3TwTzaisycgyOMjEALQhDWzyCj0nycybgctcy2gHokYAXbPNTcXQKYMdtlnuKEdPZaeF0rhKeZSSDuy39bOJqvtAPCVR4wNFeZUIldNsZQH8JdqcOFax7OU9RNR/iZHEUrMp4AMwiCokIuVFdnnfhimNdi8neqlzAEGBsqjfmi24d/Ufg1lUffD2C5d1VKEPJpe4Val/vmuArukyhGrHbwT2lUW1PYaOaDgjm8ub0DlBh8IMndZbgYu9ugedcW+oGnI+CeOoF5NqP3nzTbDmSFd2fXwCy4E2vWSSOriMn5xavSsl/aGc0YJG49vC7KWVnbRLVFJMpaPJWAJEjKrVq4nSmD9khmfI5kGvewz1G47sy22ctu+mSilaFg2UoCFC1r3SDUqB87nBmHTPS7X9lTen04mV7Ux8RNHDZafH6aL0iYJmrC7L9cKQ4PJjrzfCtzuUuVNNVXDeCiFDkHYi9ob0R4H4VPydmn83QqsoynPWZz1Vo4yPJ0gcc8UxNdmqcRn6SFfHlgcUDA47a+CIewx+89XuMHfXa96HODFd1LHUV+8HlBlpFSmxQudn3BPQ8RrmyFAkB7PbzELfnepCBIy5k79AX2nw/KK3B5KNfw/YqqHHwK0/HDFQXMN6iwoQtlU4KgOBRH/wIrUet8CElhSFEjOluI2EQkr6WWd0bPtIEvDTPgODGW2qQxCHCPZpZ7AW3U2bSnk6fHTteLGXVK4MICdwwA1rcKw5uNYH8etF0kyMgJaYE0E0aHk/eR3Dh5P9LY0F7/1NtCPqvbVVtHeUGYT/7pFGM48YVhNRRBgRqlRftmHiZrnl+QLb1doANs8N3gX2nbn5p+voZPHIMEVzKQ5aHRVhB1uGv9YzEHG4Xt4cxmTnK7pJUDvU75fLm790ip1ffMdp2l6k5XRoTTP3Vfct6YT9GwJq1XhH69iWkL/HfT0/rCK1sZAZPEmmBM2FoufHpqnurEDCWFMECV8ckMrVuAJBCeXcGd5edeVsx01ziOL4jNT620B8Y7RwrIvemAd/3YeROaW01m6i/Na7xNlWy25J27ZL14E7qSu2Ary9p1QErerlnz3oq7uK5rqN6azaJu/uba9Yuibwf0y0IwVdRTlDz0XB2ry99wwQCJjqjW9a6clJBGbqZTnZHCGvBWK47QCviwmyb4gdMuaTshAXxdbcqPbAa08XY3ZQoDzkAk6VHvfPS1aTZoNZ6laC9hiq+hOco/Wr5810rt/HkxK+ppo8BTdoFq8axrIPDut/QSTdJ0sXBTgm1EnRTKYl1SLnNol6cP+9FTrwaH16OwnuW2yxb89rPRb');
INSERT INTO public.kept_tests VALUES ('2lgOau9i4stnA9fQ6c35S-igkGYwq4604H_ZQe1C1Xg', 1795855748461, 'Admin', true, 'Captured, not sent: /api/inbox/2.', 31, NULL);
INSERT INTO public.limit_usage VALUES ('limit:1', '{"second":{"holders":[],"resting":[]},"windows":{"month":{"start":1793491200000,"used":3}}}');
INSERT INTO public.limits VALUES (1, true, 1795855749074, NULL, 'Admin', 1, NULL, NULL, 1, 'account', 'Account', NULL, '[1]', NULL, NULL, NULL, NULL, 1000, NULL, NULL, 'queue');
INSERT INTO public.login_failures VALUES ('familiar:Kq1-9YKvZSyicSTBRvn2UnQyaEyNcf45tkY9E-uugpE', 1, 1796460547747);
INSERT INTO public.mautic_states VALUES (1, NULL, NULL, 1795855810085, NULL, 'Nothing answers at 127.0.0.1:1 (connection refused). Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.', 1795855750085, false);
INSERT INTO public.mautics VALUES (1, true, 1795855749789, NULL, 'Admin', 1, NULL, NULL, 1, 'shop
http://127.0.0.1:1', 'shop', 'http://127.0.0.1:1', 'id', '87016ebb.G4Xzo7JN38DxkH0oiEuiyKOTcJad1PLX8+MyytzXMC/jBw==', NULL, NULL, 'queue', '[]', '{}', true, '3c2cea2682cea6c8d9d598a8901e4da3', 'cfeba6992fa4b6bee437c2e39632a86214baf77024b4eb48ba27c51eea4ddf94', NULL, NULL, false);
INSERT INTO public.migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.migrations VALUES ('20261123_00_data_keys', '2026-11-28T08:49:05.045Z');
INSERT INTO public.migrations VALUES ('20261123_01_auth', '2026-11-28T08:49:05.282Z');
INSERT INTO public.migrations VALUES ('20261123_02_emails', '2026-11-28T08:49:05.311Z');
INSERT INTO public.migrations VALUES ('20261123_03_contacts', '2026-11-28T08:49:05.358Z');
INSERT INTO public.migrations VALUES ('20261123_04_transports', '2026-11-28T08:49:05.403Z');
INSERT INTO public.migrations VALUES ('20261123_05_inbox', '2026-11-28T08:49:05.433Z');
INSERT INTO public.migrations VALUES ('20261123_06_twig_templates', '2026-11-28T08:49:05.474Z');
INSERT INTO public.migrations VALUES ('20261123_07_assignments', '2026-11-28T08:49:05.511Z');
INSERT INTO public.migrations VALUES ('20261123_08_delivery', '2026-11-28T08:49:05.834Z');
INSERT INTO public.migrations VALUES ('20261123_09_limits', '2026-11-28T08:49:05.865Z');
INSERT INTO public.migrations VALUES ('20261123_09_suppressions', '2026-11-28T08:49:05.893Z');
INSERT INTO public.migrations VALUES ('20261123_10_mautics', '2026-11-28T08:49:06.099Z');
INSERT INTO public.migrations VALUES ('20261123_12_mautic_assignments', '2026-11-28T08:49:06.128Z');
INSERT INTO public.migrations VALUES ('20261124_30_account_search', '2026-11-28T08:49:06.152Z');
INSERT INTO public.migrations VALUES ('20261124_30_contact_search', '2026-11-28T08:49:06.169Z');
INSERT INTO public.migrations VALUES ('20261124_30_email_search', '2026-11-28T08:49:06.172Z');
INSERT INTO public.migrations VALUES ('20261124_30_inbox_search', '2026-11-28T08:49:06.183Z');
INSERT INTO public.migrations VALUES ('20261124_30_limit_search', '2026-11-28T08:49:06.188Z');
INSERT INTO public.migrations VALUES ('20261124_30_mautic_search', '2026-11-28T08:49:06.202Z');
INSERT INTO public.migrations VALUES ('20261124_30_suppression_search', '2026-11-28T08:49:06.205Z');
INSERT INTO public.migrations VALUES ('20261124_30_template_search', '2026-11-28T08:49:06.207Z');
INSERT INTO public.migrations VALUES ('20261124_30_transport_search', '2026-11-28T08:49:06.210Z');
INSERT INTO public.migrations VALUES ('20261124_41_public_only', '2026-11-28T08:49:06.219Z');
INSERT INTO public.migrations VALUES ('20261124_50_deleted_records', '2026-11-28T08:49:06.255Z');
INSERT INTO public.migrations VALUES ('20261124_51_deleted_template_versions', '2026-11-28T08:49:06.272Z');
INSERT INTO public.migrations VALUES ('20261124_61_twig_template_names', '2026-11-28T08:49:06.287Z');
INSERT INTO public.migrations VALUES ('20261124_70_default_transport', '2026-11-28T08:49:06.301Z');
INSERT INTO public.migrations VALUES ('20261124_71_broadcast_brake', '2026-11-28T08:49:06.319Z');
INSERT INTO public.migrations VALUES ('20261124_72_queue_brakes', '2026-11-28T08:49:06.355Z');
INSERT INTO public.migrations VALUES ('20261124_72_queue_permissions', '2026-11-28T08:49:06.359Z');
INSERT INTO public.migrations VALUES ('20261124_73_suppression_evidence', '2026-11-28T08:49:06.371Z');
INSERT INTO public.migrations VALUES ('20261124_74_report_removals', '2026-11-28T08:49:06.379Z');
INSERT INTO public.migrations VALUES ('20261124_75_grant_times', '2026-11-28T08:49:06.385Z');
INSERT INTO public.migrations VALUES ('20261124_76_queue_transports', '2026-11-28T08:49:06.394Z');
INSERT INTO public.migrations VALUES ('20261124_77_queue_notices', '2026-11-28T08:49:06.415Z');
INSERT INTO public.migrations VALUES ('20261124_90_inbox_pieces', '2026-11-28T08:49:06.449Z');
INSERT INTO public.migrations VALUES ('20261124_91_deleted_transports', '2026-11-28T08:49:06.463Z');
INSERT INTO public.migrations VALUES ('20261124_94_route_repairs', '2026-11-28T08:49:06.483Z');
INSERT INTO public.migrations VALUES ('20261124_94_route_repairs_triggers', '2026-11-28T08:49:06.506Z');
INSERT INTO public.migrations VALUES ('20261125_10_own_webhooks', '2026-11-28T08:49:06.526Z');
INSERT INTO public.migrations VALUES ('20261125_12_do_not_contact', '2026-11-28T08:49:06.606Z');
INSERT INTO public.migrations VALUES ('20261125_14_mautic_subjects', '2026-11-28T08:49:06.622Z');
INSERT INTO public.migrations VALUES ('20261125_20_refusals', '2026-11-28T08:49:06.647Z');
INSERT INTO public.migrations VALUES ('20261125_21_delivery_refusals', '2026-11-28T08:49:06.663Z');
INSERT INTO public.migrations VALUES ('20261126_10_refresh_tokens', '2026-11-28T08:49:06.685Z');
INSERT INTO public.migrations VALUES ('20261126_15_deferred', '2026-11-28T08:49:06.710Z');
INSERT INTO public.migrations VALUES ('20261126_16_logged_transport', '2026-11-28T08:49:06.711Z');
INSERT INTO public.migrations VALUES ('20261126_17_broadcast_state', '2026-11-28T08:49:06.712Z');
INSERT INTO public.migrations VALUES ('20261126_20_mirror_leases', '2026-11-28T08:49:06.714Z');
INSERT INTO public.migrations VALUES ('20261126_30_broadcasts_in_queue', '2026-11-28T08:49:06.775Z');
INSERT INTO public.migrations VALUES ('20261126_40_subjects', '2026-11-28T08:49:06.778Z');
INSERT INTO public.migrations VALUES ('20261126_41_kept_tests', '2026-11-28T08:49:06.787Z');
INSERT INTO public.migrations VALUES ('20261127_10_provider_events', '2026-11-28T08:49:06.828Z');
INSERT INTO public.migrations VALUES ('20261127_11_received_events', '2026-11-28T08:49:06.855Z');
INSERT INTO public.migrations VALUES ('20261127_20_transport_webhooks', '2026-11-28T08:49:06.895Z');
INSERT INTO public.migrations VALUES ('20261127_30_webhooks', '2026-11-28T08:49:06.967Z');
INSERT INTO public.migrations VALUES ('20261127_40_event_brakes', '2026-11-28T08:49:06.979Z');
INSERT INTO public.migrations VALUES ('20261127_41_signals', '2026-11-28T08:49:06.995Z');
INSERT INTO public.migrations VALUES ('20261128_10_dkim_keys', '2026-11-28T08:49:07.027Z');
INSERT INTO public.migrations VALUES ('20261128_30_senders', '2026-11-28T08:49:07.091Z');
INSERT INTO public.oauth_clients VALUES (1, true, 1795855749065, NULL, 'Admin', 1, NULL, NULL, 1, 'ci', 'ci', '3e1ba6a8881d91c335e390a4fc457cb0', '94f57a26bf97243cac0ba074d16746dbd194e9583257cf0ebc6722b18727264e', '[]', '["client_credentials"]', 2, NULL);
INSERT INTO public.password_links VALUES ('1132c1780bab81bfdf7634186baee174ea14ee23540c5378f170674c0cdedf96', 1, 1795942147171);
INSERT INTO public.queue_messages VALUES (1, 1795855750541, 9007199254740991, 'bulk', 'Admin', '', 'news@brand.example', NULL, NULL, NULL, 0, 1, NULL, NULL, 0, '', '\x', 1, false, NULL);
INSERT INTO public.queue_messages VALUES (2, 1795855750863, 9007199254740991, 'bulk', 'Admin', '', 'news@brand.example', NULL, NULL, NULL, 0, 2, NULL, NULL, 0, '', '\x', 2, false, NULL);
INSERT INTO public.queue_messages VALUES (3, 1795855750947, 9007199254740991, 'bulk', 'Admin', '', 'news@brand.example', NULL, NULL, NULL, 0, 3, NULL, NULL, 0, '', '\x', 3, true, NULL);
INSERT INTO public.queue_messages VALUES (4, 1795855751520, 1795942151520, 'transactional', 'Admin', '{"key":"user 1","name":"Admin","canViewTemplates":true,"canViewContacts":true}', 'shop@brand.example', '{"return":"HDRS","envelopeId":"e1","recipients":{"waits@example.com":{"notify":"SUCCESS,FAILURE,DELAY","originalRecipient":"rfc822;waits@example.com"}}}', NULL, '<waits@brand.example>', 0, NULL, NULL, NULL, 143, '87016ebb', '\xe9ea99ebd4aa4cc9eba1b8ea67e2784cb9ba6272ddf3e3c25a5c7f65d5d76b8afb9ae5cf0472a0b8e0acb839d5a13eae76f8b3101b1dfda5ec0d4d901d9097660ab40d286aedfecf60238015a2e76f030684ae2d49b336864bec6d97728cdfdbf5312aa14cd39f15084cae4dbe337fe507ebeca8d6f6f9c96c94891e737d36065993810b875eb31ef44a31e1199f5418d36b5638a25dddc2361e72f60758f3f51ee9d2e75efa49a0f3edc1', NULL, false, 'Waits');
INSERT INTO public.queue_recipients VALUES (9, 3, 'c0@example.com', 'c0@example.com', 'paused', 'bulk', -1, 1795855750968, 1795855750968, 0, NULL, NULL, 'email 3 contact 1', NULL, NULL, NULL, 1, 3, 1796114950968);
INSERT INTO public.queue_recipients VALUES (8, 2, 'c5@example.com', 'c5@example.com', 'queued', 'bulk', 2, 1795855757049, 1795855750877, 0, NULL, '451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 6', NULL, NULL, 2, 6, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (7, 2, 'c4@example.com', 'c4@example.com', 'queued', 'bulk', 2, 1795855757049, 1795855750877, 0, NULL, '451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 5', NULL, NULL, 2, 5, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (6, 2, 'c3@example.com', 'c3@example.com', 'queued', 'bulk', 2, 1795855757049, 1795855750877, 0, NULL, '451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 4', NULL, NULL, 2, 4, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (3, 2, 'c0@example.com', 'c0@example.com', 'queued', 'bulk', 2, 1795855782120, 1795855750877, 1, NULL, '451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 1', NULL, NULL, 2, 1, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (5, 2, 'c2@example.com', 'c2@example.com', 'queued', 'bulk', 2, 1795855781247, 1795855750877, 1, NULL, '451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 3', NULL, NULL, 2, 3, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (4, 2, 'c1@example.com', 'c1@example.com', 'queued', 'bulk', 2, 1795855783528, 1795855750877, 1, NULL, '451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).', 'email 2 contact 2', NULL, NULL, 2, 2, 2, 1796114950877);
INSERT INTO public.queue_recipients VALUES (10, 4, 'waits@example.com', 'waits@example.com', 'queued', 'transactional', 2, 1795855757049, 1795855751520, 0, NULL, '451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).', '6WIKMbx4lgFRLzAm7rDfQR1S9YgfoyzJkIlaHKyBBok=', NULL, NULL, 2, NULL, NULL, NULL);
INSERT INTO public.roles VALUES (1, true, 1795855747164, NULL, 'Mailyard', NULL, NULL, NULL, 1, 'administrator', 'Administrator', 'All permissions.', true, '{}');
INSERT INTO public.roles VALUES (2, true, 1795855748971, NULL, 'Admin', 1, NULL, NULL, 1, 'sender', 'Sender', NULL, false, '{"email":["view","send"],"contact":["view"]}');
INSERT INTO public.sender_uses VALUES ('brand.example', 1, 0, 1795855750496, NULL, NULL);
INSERT INTO public.sender_uses VALUES ('brand.example', 2, 0, 1795855751158, NULL, NULL);
INSERT INTO public.signing_keys VALUES ('links', '87016ebb.RpOxiqlldpiKx1OwL8cCv6JeaqUIdS6XvLIqHoxYNS1qeBT5dFrHW9KIfLFTp7akEFYnXWEY4f172F8Ien3eOu1QwNWDMen7');
INSERT INTO public.signing_keys VALUES ('kept tests', '87016ebb.KUgcIcaE91rNL/M2lfzr9JZ9y07nOxgXk1HWch6mX3+/L7q+fu8vqlOcp+uNT4HvWmIKa1KsXvE8Xh2wch1smVDyvWYd3iW5');
INSERT INTO public.signing_keys VALUES ('test messages', '87016ebb.OLMe43Omj1wAYSix7XFAXi9MWxVmwMKPCJ8n8WTdCGJOxNL5yIQMVQPGorBzKY4nn+gpKY47ogHnyAOTP4dkwpe+POAbfOAe');
INSERT INTO public.suppressions VALUES (1, true, 1795855749117, NULL, 'Admin', 1, NULL, NULL, 1, 'gone@example.com', 'gone@example.com', 'gone@example.com', NULL, ' gone@example.com', 'bounced', NULL, NULL, NULL, NULL);
INSERT INTO public.transport_tests VALUES (1, 1795855748406, 'Admin', true, 'Captured, not sent: /api/inbox/1.', 103, NULL);
INSERT INTO public.transport_webhooks VALUES (4, 'postmark', '87016ebb.Lx9S0onWrPF1/b2NLNqEFzQFESWThjKOZz1xnRwI0l2FIH1uByRRmSpW+byYzr1uNNZvPTFBCDiLbvPm', NULL, NULL, 1795855749825, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.transports VALUES (1, true, 1795855747995, NULL, 'Admin', 1, NULL, NULL, 1, 'inbox', 'Inbox', 'inbox', NULL, '87016ebb.jzKFzTNRbGgodY1MiewNfXgRfYnF0TVToKZB8GqEWUn7AQg1sc6lDdg=', 'hello@example.com', NULL, false);
INSERT INTO public.transports VALUES (2, true, 1795855748136, NULL, 'Admin', 1, NULL, NULL, 1, 'closed', 'Closed', 'closed', NULL, '87016ebb.mTEokaqM0ilv/e/jY+EOF77ss9qnIP6SZBRhtyO9Nj/hhUjcXmq4BRFom3WGkZ6Xwd1Acq+mRvKVKw==', NULL, NULL, false);
INSERT INTO public.transports VALUES (4, true, 1795855749804, NULL, 'Admin', 1, NULL, NULL, 1, 'postmark', 'Postmark', 'postmark', NULL, '87016ebb.NynSF7YyP4yM5LQwiYPB4RYsVj96OxBZMgwLF3QLBrv04kCKuiiNyGCgRhMAorAQ8/rvaJt7UHAV', NULL, NULL, false);
INSERT INTO public.twig_template_versions VALUES (1, 1, 'Greeting', NULL, 'Dear {{ contact.firstname }}', 1795855748531, 'Admin', NULL);
INSERT INTO public.twig_template_versions VALUES (1, 2, 'Greeting', NULL, 'Dear {{ contact.firstname|default("friend") }}', 1795855748598, 'Admin', NULL);
INSERT INTO public.twig_templates VALUES (1, true, 1795855748530, 1795855748595, 'Admin', 1, 'Admin', 1, 2, 'greeting', 'Greeting', 'greeting', NULL, 'Dear {{ contact.firstname|default("friend") }}', '[]', NULL);
INSERT INTO public.user_transports VALUES (1, 2);
INSERT INTO public.users VALUES (1, true, 1795855747164, NULL, 'Mailyard', NULL, NULL, NULL, 1, 'admin
admin
admin@localhost', 'admin', 'admin', 'adrnin', 'admin@localhost', 'admin@localhost', 'Admin', '', '$argon2id$v=19$m=8,t=1,p=1$DrxM9DUVsuj9FBfbSyju1A$WaIzB6M2YkO4998scUDWUYNAVvumkHpVngMFYw5yn48', 1, NULL);
INSERT INTO public.users VALUES (2, true, 1795855748999, NULL, 'Admin', 1, NULL, NULL, 1, 'jane
doe
jane
jane@example.com', 'jane', 'jane', 'jane', 'jane@example.com', 'jane@example.com', 'Jane', 'Doe', '$argon2id$v=19$m=8,t=1,p=1$ZI7aN/l+omMPZwroyfiD4A$HZozmpuNoS4iXbZIfI364Yrga1wq7YdEdexyMENRx7o', 2, NULL);
INSERT INTO public.webhook_messages VALUES (1, 1, 'msg_e24124e1f5094f54b9ae98ca33b87509', 'delivery.accepted', 'transport 1', 1, '{"type":"delivery.accepted","timestamp":"2026-11-28T08:49:10+00:00","data":{"deliveryId":1,"recipient":"c0@example.com","sender":"news@brand.example","source":"api","transportId":1,"transport":"Inbox","emailId":1,"contactId":1,"broadcastId":null,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/3","reason":null,"messageId":"<a2005813-2c03-4a58-8e88-fe115f43b38e@brand.example>","providerId":"3"}}', 'queued', 1, 1795855754659, 1795855750510, 'The host "shop.example" was not found. Check the host name.');
INSERT INTO public.webhook_messages VALUES (2, 1, 'msg_d19de5a25a254cad9a7e078ab7f2b78f', 'delivery.accepted', 'transport 1', 1, '{"type":"delivery.accepted","timestamp":"2026-11-28T08:49:10+00:00","data":{"deliveryId":2,"recipient":"c1@example.com","sender":"news@brand.example","source":"broadcast","transportId":1,"transport":"Inbox","emailId":1,"contactId":2,"broadcastId":1,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/4","reason":null,"messageId":"<078fcd114977acf8c483760838ab90f15084d37d@brand.example>","providerId":"4"}}', 'queued', 0, 1795855750735, 1795855750735, NULL);
INSERT INTO public.webhook_messages VALUES (3, 1, 'msg_795ce8da8f7a4c2fb15e37c236e5b3f4', 'delivery.accepted', 'transport 1', 1, '{"type":"delivery.accepted","timestamp":"2026-11-28T08:49:10+00:00","data":{"deliveryId":3,"recipient":"c2@example.com","sender":"news@brand.example","source":"broadcast","transportId":1,"transport":"Inbox","emailId":1,"contactId":3,"broadcastId":1,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/5","reason":null,"messageId":"<9fa8d5ec3488593d3d8d4e6da35a2a680508b089@brand.example>","providerId":"5"}}', 'queued', 0, 1795855750757, 1795855750757, NULL);
INSERT INTO public.webhook_states VALUES (1, NULL, 1795855750547, NULL, 'The host "shop.example" was not found. Check the host name.');
INSERT INTO public.webhooks VALUES (1, true, 1795855749151, NULL, 'Admin', 1, NULL, NULL, 1, 'shop
shop.example', 'Shop', '["delivery.accepted","transport.failover","brake.applied"]', 'standard', '87016ebb.9tG2+2Kzb6XXROMM+s3EEEfImP1SWTOT/B6AJCwJNX1IcDjyIaJ4niSfdttq/znh665u20s=', NULL, NULL, '87016ebb.gdZdw9InD/t95AvCg7n/NR4Aq1XySsUZ50j2AS2Q4PwydTHA0lodAGxlw/2RCp4xtEPOzS88XlBZZkUKJnr4v4S6l0UnsXYmLpougBk2', NULL, NULL);
INSERT INTO public.webhooks VALUES (2, true, 1795855749185, NULL, 'Admin', 1, NULL, NULL, 1, 'alerts
ops@example.com', 'Alerts', '["webhook.dead"]', 'email', NULL, 'ops@example.com', 1, '87016ebb.zmASuED2IWJfzTYrFYImaC4Z1eOxbZzi0FVDmN+g+RhnwXpbLG/gX28TVkW6h2IjoknDV3KR1UOehFkRCoa/OxPbcappFHX7b3UzdP6L', NULL, NULL);
INSERT INTO public.webhooks VALUES (3, true, 1795855749227, NULL, 'Admin', 1, NULL, NULL, 1, 'team
chat.example', 'Team', '["transport.down"]', 'chat', '87016ebb.uhPEwV1acPvWSQO+McpfcoHRtjDyNHwnr1mc5FNED8Q/qdUIc+TZouKwZi3ocmPxG1Vo+mQ=', NULL, NULL, '87016ebb.QiV9xpw7hJcszKOuXCya5T1QVW5mYvdUXwi3oJmzHFej/cDeBG/BAToEbtOCfilLLWHf0IpDykYqJlgESOtRp2+v2TmYOBKwAqwdpDfJ', NULL, NULL);
SELECT pg_catalog.setval('public.broadcasts_id_seq', 3, true);
SELECT pg_catalog.setval('public.console_sessions_id_seq', 1, false);
SELECT pg_catalog.setval('public.contacts_id_seq', 6, true);
SELECT pg_catalog.setval('public.deliveries_id_seq', 6, true);
SELECT pg_catalog.setval('public.delivery_count_changes_id_seq', 6, true);
SELECT pg_catalog.setval('public.delivery_events_id_seq', 1, false);
SELECT pg_catalog.setval('public.dkim_keys_id_seq', 2, true);
SELECT pg_catalog.setval('public.emails_id_seq', 3, true);
SELECT pg_catalog.setval('public.inbox_messages_id_seq', 5, true);
SELECT pg_catalog.setval('public.limits_id_seq', 1, true);
SELECT pg_catalog.setval('public.mautic_reports_id_seq', 1, false);
SELECT pg_catalog.setval('public.mautics_id_seq', 1, true);
SELECT pg_catalog.setval('public.oauth_clients_id_seq', 1, true);
SELECT pg_catalog.setval('public.queue_brakes_id_seq', 1, false);
SELECT pg_catalog.setval('public.queue_messages_id_seq', 4, true);
SELECT pg_catalog.setval('public.queue_notices_id_seq', 1, false);
SELECT pg_catalog.setval('public.queue_recipients_id_seq', 10, true);
SELECT pg_catalog.setval('public.received_events_id_seq', 1, false);
SELECT pg_catalog.setval('public.roles_id_seq', 2, true);
SELECT pg_catalog.setval('public.route_repairs_id_seq', 16, true);
SELECT pg_catalog.setval('public.suppressions_id_seq', 1, true);
SELECT pg_catalog.setval('public.transports_id_seq', 4, true);
SELECT pg_catalog.setval('public.twig_templates_id_seq', 1, true);
SELECT pg_catalog.setval('public.users_id_seq', 2, true);
SELECT pg_catalog.setval('public.webhook_messages_id_seq', 3, true);
SELECT pg_catalog.setval('public.webhooks_id_seq', 3, true);
ALTER TABLE ONLY public.broadcasts
    ADD CONSTRAINT broadcasts_idempotency_key_key UNIQUE (idempotency_key);
ALTER TABLE ONLY public.broadcasts
    ADD CONSTRAINT broadcasts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.contact_segments
    ADD CONSTRAINT contact_segments_key PRIMARY KEY (segment, contact_id);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deleted_records
    ADD CONSTRAINT deleted_records_key PRIMARY KEY (kind, id);
ALTER TABLE ONLY public.deleted_template_versions
    ADD CONSTRAINT deleted_template_versions_pkey PRIMARY KEY (template_id, version);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.deliveries_2026_11
    ADD CONSTRAINT deliveries_2026_11_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.deliveries_2026_12
    ADD CONSTRAINT deliveries_2026_12_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.deliveries_2027_01
    ADD CONSTRAINT deliveries_2027_01_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.deliveries_default
    ADD CONSTRAINT deliveries_default_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_count_changes
    ADD CONSTRAINT delivery_count_changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.delivery_counts
    ADD CONSTRAINT delivery_counts_once PRIMARY KEY (transport_id, span_ms, started_at, source, outcome);
ALTER TABLE ONLY public.delivery_events
    ADD CONSTRAINT delivery_events_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_events_2026_10
    ADD CONSTRAINT delivery_events_2026_10_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_events_2026_11
    ADD CONSTRAINT delivery_events_2026_11_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_events_2026_12
    ADD CONSTRAINT delivery_events_2026_12_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_events_default
    ADD CONSTRAINT delivery_events_default_pkey PRIMARY KEY (id, started_at);
ALTER TABLE ONLY public.delivery_keys
    ADD CONSTRAINT delivery_keys_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.delivery_processes
    ADD CONSTRAINT delivery_processes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.dkim_keys
    ADD CONSTRAINT dkim_keys_domain_key UNIQUE (domain);
ALTER TABLE ONLY public.dkim_keys
    ADD CONSTRAINT dkim_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.email_transports
    ADD CONSTRAINT email_transports_pkey PRIMARY KEY (email_id);
ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.inbox_messages
    ADD CONSTRAINT inbox_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.inbox_pieces
    ADD CONSTRAINT inbox_pieces_key PRIMARY KEY (message_id, number);
ALTER TABLE ONLY public.kept_tests
    ADD CONSTRAINT kept_tests_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.limit_usage
    ADD CONSTRAINT limit_usage_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.limits
    ADD CONSTRAINT limits_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.login_failures
    ADD CONSTRAINT login_failures_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.login_sessions
    ADD CONSTRAINT login_sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.mautic_domains
    ADD CONSTRAINT mautic_domains_key PRIMARY KEY (mautic_id, domain);
ALTER TABLE ONLY public.mautic_email_transports
    ADD CONSTRAINT mautic_email_transports_key PRIMARY KEY (mautic_id, email_id);
ALTER TABLE ONLY public.mautic_emails
    ADD CONSTRAINT mautic_emails_key PRIMARY KEY (mautic_id, id);
ALTER TABLE ONLY public.mautic_events
    ADD CONSTRAINT mautic_events_key PRIMARY KEY (mautic_id, hash);
ALTER TABLE ONLY public.mautic_list_entries
    ADD CONSTRAINT mautic_list_entries_key PRIMARY KEY (mautic_id, id, contact_id);
ALTER TABLE ONLY public.mautic_list_removals
    ADD CONSTRAINT mautic_list_removals_key PRIMARY KEY (mautic_id, address_key);
ALTER TABLE ONLY public.mautic_lists
    ADD CONSTRAINT mautic_lists_pkey PRIMARY KEY (mautic_id);
ALTER TABLE ONLY public.mautic_refusal_marks
    ADD CONSTRAINT mautic_refusal_marks_key PRIMARY KEY (mautic_id, purpose);
ALTER TABLE ONLY public.mautic_reports
    ADD CONSTRAINT mautic_reports_key UNIQUE (mautic_id, address_key, reason);
ALTER TABLE ONLY public.mautic_reports
    ADD CONSTRAINT mautic_reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mautic_sends
    ADD CONSTRAINT mautic_sends_key PRIMARY KEY (mautic_id, hash);
ALTER TABLE ONLY public.mautic_states
    ADD CONSTRAINT mautic_states_pkey PRIMARY KEY (mautic_id);
ALTER TABLE ONLY public.mautic_user_transports
    ADD CONSTRAINT mautic_user_transports_key PRIMARY KEY (mautic_id, user_id);
ALTER TABLE ONLY public.mautic_users
    ADD CONSTRAINT mautic_users_key PRIMARY KEY (mautic_id, id);
ALTER TABLE ONLY public.mautic_webhooks
    ADD CONSTRAINT mautic_webhooks_pkey PRIMARY KEY (mautic_id);
ALTER TABLE ONLY public.mautics
    ADD CONSTRAINT mautics_name_key UNIQUE (name);
ALTER TABLE ONLY public.mautics
    ADD CONSTRAINT mautics_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mautics
    ADD CONSTRAINT mautics_smtp_login_key UNIQUE (smtp_login);
ALTER TABLE ONLY public.migration_lock
    ADD CONSTRAINT migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_client_id_key UNIQUE (client_id);
ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_codes
    ADD CONSTRAINT oauth_codes_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.queue_brakes
    ADD CONSTRAINT queue_brakes_once UNIQUE (mautic_id, sender_domain, transport_id);
ALTER TABLE ONLY public.queue_brakes
    ADD CONSTRAINT queue_brakes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.queue_holds
    ADD CONSTRAINT queue_holds_pkey PRIMARY KEY (transport_id);
ALTER TABLE ONLY public.queue_messages
    ADD CONSTRAINT queue_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.queue_notices
    ADD CONSTRAINT queue_notices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.queue_recipients
    ADD CONSTRAINT queue_recipients_bulk_key_key UNIQUE (bulk_key);
ALTER TABLE ONLY public.queue_recipients
    ADD CONSTRAINT queue_recipients_message_key_key UNIQUE (message_key);
ALTER TABLE ONLY public.queue_recipients
    ADD CONSTRAINT queue_recipients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.received_events
    ADD CONSTRAINT received_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.refresh_tokens
    ADD CONSTRAINT refresh_tokens_pkey PRIMARY KEY (grant_key);
ALTER TABLE ONLY public.roles
    ADD CONSTRAINT roles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.route_repairs
    ADD CONSTRAINT route_repairs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sender_checks
    ADD CONSTRAINT sender_checks_key PRIMARY KEY (domain, transport_id);
ALTER TABLE ONLY public.sender_proofs
    ADD CONSTRAINT sender_proofs_key PRIMARY KEY (domain, transport_id, member);
ALTER TABLE ONLY public.sender_uses
    ADD CONSTRAINT sender_uses_key PRIMARY KEY (domain, transport_id, mautic_id);
ALTER TABLE ONLY public.signals
    ADD CONSTRAINT signals_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (purpose);
ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.transport_tests
    ADD CONSTRAINT transport_tests_pkey PRIMARY KEY (transport_id);
ALTER TABLE ONLY public.transport_webhooks
    ADD CONSTRAINT transport_webhooks_key PRIMARY KEY (transport_id, provider);
ALTER TABLE ONLY public.transports
    ADD CONSTRAINT transports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.twig_template_versions
    ADD CONSTRAINT twig_template_versions_key PRIMARY KEY (template_id, version);
ALTER TABLE ONLY public.twig_templates
    ADD CONSTRAINT twig_templates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.user_transports
    ADD CONSTRAINT user_transports_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_username_key_key UNIQUE (username_key);
ALTER TABLE ONLY public.webhook_alerts
    ADD CONSTRAINT webhook_alerts_key PRIMARY KEY (webhook_id, type, cause);
ALTER TABLE ONLY public.webhook_messages
    ADD CONSTRAINT webhook_messages_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_states
    ADD CONSTRAINT webhook_states_pkey PRIMARY KEY (webhook_id);
ALTER TABLE ONLY public.webhook_tokens
    ADD CONSTRAINT webhook_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX broadcasts_state ON public.broadcasts USING btree (state);
CREATE INDEX console_sessions_user_id ON public.console_sessions USING btree (user_id);
CREATE INDEX contact_segments_contact_id ON public.contact_segments USING btree (contact_id);
CREATE UNIQUE INDEX contacts_email_key ON public.contacts USING btree (email_key);
CREATE INDEX contacts_owner_id ON public.contacts USING btree (owner_id);
CREATE INDEX contacts_search_text ON public.contacts USING gin (search_text public.gin_trgm_ops);
CREATE INDEX deleted_records_by_date ON public.deleted_records USING btree (date_deleted);
CREATE INDEX deleted_records_of_kind ON public.deleted_records USING btree (kind, date_deleted, id);
CREATE INDEX deliveries_recipients ON ONLY public.deliveries USING btree (broadcast_id, contact_id, started_at) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2026_11_broadcast_id_contact_id_started_at_idx ON public.deliveries_2026_11 USING btree (broadcast_id, contact_id, started_at) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_broadcast_id ON ONLY public.deliveries USING btree (broadcast_id, started_at, id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2026_11_broadcast_id_started_at_id_idx ON public.deliveries_2026_11 USING btree (broadcast_id, started_at, id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_event ON ONLY public.deliveries USING btree (event, started_at, id) WHERE (event IS NOT NULL);
CREATE INDEX deliveries_2026_11_event_started_at_id_idx ON public.deliveries_2026_11 USING btree (event, started_at, id) WHERE (event IS NOT NULL);
CREATE INDEX deliveries_contact_id ON ONLY public.deliveries USING btree (mautic_id, contact_id, started_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX deliveries_2026_11_mautic_id_contact_id_started_at_id_idx ON public.deliveries_2026_11 USING btree (mautic_id, contact_id, started_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX deliveries_email_id ON ONLY public.deliveries USING btree (mautic_id, email_id, started_at, id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_2026_11_mautic_id_email_id_started_at_id_idx ON public.deliveries_2026_11 USING btree (mautic_id, email_id, started_at, id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_mautic_id ON ONLY public.deliveries USING btree (mautic_id, started_at, id) WHERE (mautic_id <> 0);
CREATE INDEX deliveries_2026_11_mautic_id_started_at_id_idx ON public.deliveries_2026_11 USING btree (mautic_id, started_at, id) WHERE (mautic_id <> 0);
CREATE INDEX deliveries_refusals ON ONLY public.deliveries USING btree (mautic_id, started_at, id) WHERE ((mautic_id <> 0) AND (NOT is_bounced) AND (outcome = ANY (ARRAY['refused'::text, 'uncertain'::text, 'suppressed'::text, 'expired'::text, 'cancelled'::text])));
CREATE INDEX deliveries_2026_11_mautic_id_started_at_id_idx1 ON public.deliveries_2026_11 USING btree (mautic_id, started_at, id) WHERE ((mautic_id <> 0) AND (NOT is_bounced) AND (outcome = ANY (ARRAY['refused'::text, 'uncertain'::text, 'suppressed'::text, 'expired'::text, 'cancelled'::text])));
CREATE INDEX deliveries_member ON ONLY public.deliveries USING btree (member, started_at, id) WHERE (member IS NOT NULL);
CREATE INDEX deliveries_2026_11_member_started_at_id_idx ON public.deliveries_2026_11 USING btree (member, started_at, id) WHERE (member IS NOT NULL);
CREATE INDEX deliveries_outcome ON ONLY public.deliveries USING btree (outcome, started_at, id) WHERE ((outcome = 'deferred'::text) OR (outcome = 'refused'::text) OR (outcome = 'uncertain'::text) OR (outcome = 'suppressed'::text) OR (outcome = 'expired'::text) OR (outcome = 'cancelled'::text) OR (outcome = 'started'::text));
CREATE INDEX deliveries_2026_11_outcome_started_at_id_idx ON public.deliveries_2026_11 USING btree (outcome, started_at, id) WHERE ((outcome = 'deferred'::text) OR (outcome = 'refused'::text) OR (outcome = 'uncertain'::text) OR (outcome = 'suppressed'::text) OR (outcome = 'expired'::text) OR (outcome = 'cancelled'::text) OR (outcome = 'started'::text));
CREATE INDEX deliveries_recipient_key ON ONLY public.deliveries USING btree (recipient_key, started_at, id);
CREATE INDEX deliveries_2026_11_recipient_key_started_at_id_idx ON public.deliveries_2026_11 USING btree (recipient_key, started_at, id);
CREATE INDEX deliveries_source ON ONLY public.deliveries USING btree (source, started_at, id);
CREATE INDEX deliveries_2026_11_source_started_at_id_idx ON public.deliveries_2026_11 USING btree (source, started_at, id);
CREATE INDEX deliveries_time ON ONLY public.deliveries USING btree (started_at, id);
CREATE INDEX deliveries_2026_11_started_at_id_idx ON public.deliveries_2026_11 USING btree (started_at, id);
CREATE INDEX deliveries_transport_id ON ONLY public.deliveries USING btree (transport_id, started_at, id) WHERE (transport_id IS NOT NULL);
CREATE INDEX deliveries_2026_11_transport_id_started_at_id_idx ON public.deliveries_2026_11 USING btree (transport_id, started_at, id) WHERE (transport_id IS NOT NULL);
CREATE INDEX deliveries_2026_12_broadcast_id_contact_id_started_at_idx ON public.deliveries_2026_12 USING btree (broadcast_id, contact_id, started_at) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2026_12_broadcast_id_started_at_id_idx ON public.deliveries_2026_12 USING btree (broadcast_id, started_at, id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2026_12_event_started_at_id_idx ON public.deliveries_2026_12 USING btree (event, started_at, id) WHERE (event IS NOT NULL);
CREATE INDEX deliveries_2026_12_mautic_id_contact_id_started_at_id_idx ON public.deliveries_2026_12 USING btree (mautic_id, contact_id, started_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX deliveries_2026_12_mautic_id_email_id_started_at_id_idx ON public.deliveries_2026_12 USING btree (mautic_id, email_id, started_at, id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_2026_12_mautic_id_started_at_id_idx ON public.deliveries_2026_12 USING btree (mautic_id, started_at, id) WHERE (mautic_id <> 0);
CREATE INDEX deliveries_2026_12_mautic_id_started_at_id_idx1 ON public.deliveries_2026_12 USING btree (mautic_id, started_at, id) WHERE ((mautic_id <> 0) AND (NOT is_bounced) AND (outcome = ANY (ARRAY['refused'::text, 'uncertain'::text, 'suppressed'::text, 'expired'::text, 'cancelled'::text])));
CREATE INDEX deliveries_2026_12_member_started_at_id_idx ON public.deliveries_2026_12 USING btree (member, started_at, id) WHERE (member IS NOT NULL);
CREATE INDEX deliveries_2026_12_outcome_started_at_id_idx ON public.deliveries_2026_12 USING btree (outcome, started_at, id) WHERE ((outcome = 'deferred'::text) OR (outcome = 'refused'::text) OR (outcome = 'uncertain'::text) OR (outcome = 'suppressed'::text) OR (outcome = 'expired'::text) OR (outcome = 'cancelled'::text) OR (outcome = 'started'::text));
CREATE INDEX deliveries_2026_12_recipient_key_started_at_id_idx ON public.deliveries_2026_12 USING btree (recipient_key, started_at, id);
CREATE INDEX deliveries_2026_12_source_started_at_id_idx ON public.deliveries_2026_12 USING btree (source, started_at, id);
CREATE INDEX deliveries_2026_12_started_at_id_idx ON public.deliveries_2026_12 USING btree (started_at, id);
CREATE INDEX deliveries_2026_12_transport_id_started_at_id_idx ON public.deliveries_2026_12 USING btree (transport_id, started_at, id) WHERE (transport_id IS NOT NULL);
CREATE INDEX deliveries_2027_01_broadcast_id_contact_id_started_at_idx ON public.deliveries_2027_01 USING btree (broadcast_id, contact_id, started_at) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2027_01_broadcast_id_started_at_id_idx ON public.deliveries_2027_01 USING btree (broadcast_id, started_at, id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_2027_01_event_started_at_id_idx ON public.deliveries_2027_01 USING btree (event, started_at, id) WHERE (event IS NOT NULL);
CREATE INDEX deliveries_2027_01_mautic_id_contact_id_started_at_id_idx ON public.deliveries_2027_01 USING btree (mautic_id, contact_id, started_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX deliveries_2027_01_mautic_id_email_id_started_at_id_idx ON public.deliveries_2027_01 USING btree (mautic_id, email_id, started_at, id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_2027_01_mautic_id_started_at_id_idx ON public.deliveries_2027_01 USING btree (mautic_id, started_at, id) WHERE (mautic_id <> 0);
CREATE INDEX deliveries_2027_01_mautic_id_started_at_id_idx1 ON public.deliveries_2027_01 USING btree (mautic_id, started_at, id) WHERE ((mautic_id <> 0) AND (NOT is_bounced) AND (outcome = ANY (ARRAY['refused'::text, 'uncertain'::text, 'suppressed'::text, 'expired'::text, 'cancelled'::text])));
CREATE INDEX deliveries_2027_01_member_started_at_id_idx ON public.deliveries_2027_01 USING btree (member, started_at, id) WHERE (member IS NOT NULL);
CREATE INDEX deliveries_2027_01_outcome_started_at_id_idx ON public.deliveries_2027_01 USING btree (outcome, started_at, id) WHERE ((outcome = 'deferred'::text) OR (outcome = 'refused'::text) OR (outcome = 'uncertain'::text) OR (outcome = 'suppressed'::text) OR (outcome = 'expired'::text) OR (outcome = 'cancelled'::text) OR (outcome = 'started'::text));
CREATE INDEX deliveries_2027_01_recipient_key_started_at_id_idx ON public.deliveries_2027_01 USING btree (recipient_key, started_at, id);
CREATE INDEX deliveries_2027_01_source_started_at_id_idx ON public.deliveries_2027_01 USING btree (source, started_at, id);
CREATE INDEX deliveries_2027_01_started_at_id_idx ON public.deliveries_2027_01 USING btree (started_at, id);
CREATE INDEX deliveries_2027_01_transport_id_started_at_id_idx ON public.deliveries_2027_01 USING btree (transport_id, started_at, id) WHERE (transport_id IS NOT NULL);
CREATE INDEX deliveries_default_broadcast_id_contact_id_started_at_idx ON public.deliveries_default USING btree (broadcast_id, contact_id, started_at) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_default_broadcast_id_started_at_id_idx ON public.deliveries_default USING btree (broadcast_id, started_at, id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX deliveries_default_event_started_at_id_idx ON public.deliveries_default USING btree (event, started_at, id) WHERE (event IS NOT NULL);
CREATE INDEX deliveries_default_mautic_id_contact_id_started_at_id_idx ON public.deliveries_default USING btree (mautic_id, contact_id, started_at, id) WHERE (contact_id IS NOT NULL);
CREATE INDEX deliveries_default_mautic_id_email_id_started_at_id_idx ON public.deliveries_default USING btree (mautic_id, email_id, started_at, id) WHERE (email_id IS NOT NULL);
CREATE INDEX deliveries_default_mautic_id_started_at_id_idx ON public.deliveries_default USING btree (mautic_id, started_at, id) WHERE (mautic_id <> 0);
CREATE INDEX deliveries_default_mautic_id_started_at_id_idx1 ON public.deliveries_default USING btree (mautic_id, started_at, id) WHERE ((mautic_id <> 0) AND (NOT is_bounced) AND (outcome = ANY (ARRAY['refused'::text, 'uncertain'::text, 'suppressed'::text, 'expired'::text, 'cancelled'::text])));
CREATE INDEX deliveries_default_member_started_at_id_idx ON public.deliveries_default USING btree (member, started_at, id) WHERE (member IS NOT NULL);
CREATE INDEX deliveries_default_outcome_started_at_id_idx ON public.deliveries_default USING btree (outcome, started_at, id) WHERE ((outcome = 'deferred'::text) OR (outcome = 'refused'::text) OR (outcome = 'uncertain'::text) OR (outcome = 'suppressed'::text) OR (outcome = 'expired'::text) OR (outcome = 'cancelled'::text) OR (outcome = 'started'::text));
CREATE INDEX deliveries_default_recipient_key_started_at_id_idx ON public.deliveries_default USING btree (recipient_key, started_at, id);
CREATE INDEX deliveries_default_source_started_at_id_idx ON public.deliveries_default USING btree (source, started_at, id);
CREATE INDEX deliveries_default_started_at_id_idx ON public.deliveries_default USING btree (started_at, id);
CREATE INDEX deliveries_default_transport_id_started_at_id_idx ON public.deliveries_default USING btree (transport_id, started_at, id) WHERE (transport_id IS NOT NULL);
CREATE INDEX delivery_counts_empty ON public.delivery_counts USING btree (started_at) WHERE (count = 0);
CREATE INDEX delivery_counts_transports ON public.delivery_counts USING btree (outcome, started_at, transport_id) WHERE (span_ms = 3600000);
CREATE UNIQUE INDEX delivery_events_once ON ONLY public.delivery_events USING btree (delivery_id, started_at, event_key);
CREATE UNIQUE INDEX delivery_events_2026_10_delivery_id_started_at_event_key_idx ON public.delivery_events_2026_10 USING btree (delivery_id, started_at, event_key);
CREATE UNIQUE INDEX delivery_events_2026_11_delivery_id_started_at_event_key_idx ON public.delivery_events_2026_11 USING btree (delivery_id, started_at, event_key);
CREATE UNIQUE INDEX delivery_events_2026_12_delivery_id_started_at_event_key_idx ON public.delivery_events_2026_12 USING btree (delivery_id, started_at, event_key);
CREATE UNIQUE INDEX delivery_events_default_delivery_id_started_at_event_key_idx ON public.delivery_events_default USING btree (delivery_id, started_at, event_key);
CREATE INDEX delivery_keys_acknowledged_at ON public.delivery_keys USING btree (acknowledged_at) WHERE (acknowledged_at IS NOT NULL);
CREATE INDEX delivery_keys_delivery ON public.delivery_keys USING btree (kind, started_at, delivery_id);
CREATE INDEX dkim_keys_check_at ON public.dkim_keys USING btree (check_at);
CREATE INDEX dkim_keys_search_text ON public.dkim_keys USING gin (search_text public.gin_trgm_ops);
CREATE INDEX email_transports_deleted_transport_id ON public.email_transports USING btree (deleted_transport_id);
CREATE INDEX email_transports_transport_id ON public.email_transports USING btree (transport_id);
CREATE INDEX emails_naming_transport ON public.emails USING btree (id) WHERE (lower(headers) ~~ '%x-mailyard-transport%'::text);
CREATE INDEX emails_search_text ON public.emails USING gin (search_text public.gin_trgm_ops);
CREATE INDEX inbox_messages_captured_at ON public.inbox_messages USING btree (captured_at);
CREATE INDEX inbox_messages_complete ON public.inbox_messages USING btree (is_complete, id, size_bytes);
CREATE INDEX inbox_messages_search_text ON public.inbox_messages USING gin (search_text public.gin_trgm_ops);
CREATE INDEX limits_search_text ON public.limits USING gin (search_text public.gin_trgm_ops);
CREATE INDEX login_sessions_user_id ON public.login_sessions USING btree (user_id);
CREATE INDEX mautic_email_transports_deleted_transport_id ON public.mautic_email_transports USING btree (deleted_transport_id);
CREATE INDEX mautic_email_transports_transport_id ON public.mautic_email_transports USING btree (transport_id);
CREATE INDEX mautic_emails_mautic_id_date_added ON public.mautic_emails USING btree (mautic_id, date_added);
CREATE INDEX mautic_emails_mautic_id_date_modified ON public.mautic_emails USING btree (mautic_id, date_modified);
CREATE INDEX mautic_emails_search_text ON public.mautic_emails USING gin (search_text public.gin_trgm_ops);
CREATE INDEX mautic_emails_subject_key ON public.mautic_emails USING btree (mautic_id, subject_key);
CREATE INDEX mautic_events_created_at ON public.mautic_events USING btree (created_at);
CREATE INDEX mautic_list_entries_mautic_id_address_key ON public.mautic_list_entries USING btree (mautic_id, address_key);
CREATE INDEX mautic_list_entries_mautic_id_seq ON public.mautic_list_entries USING btree (mautic_id, seq);
CREATE INDEX mautic_list_entries_missing ON public.mautic_list_entries USING btree (mautic_id) WHERE (missing_since IS NOT NULL);
CREATE INDEX mautic_reports_mautic_id_state_due_at ON public.mautic_reports USING btree (mautic_id, state, due_at);
CREATE INDEX mautic_reports_state_due_at ON public.mautic_reports USING btree (state, due_at);
CREATE INDEX mautic_sends_created_at ON public.mautic_sends USING btree (created_at);
CREATE INDEX mautic_user_transports_transport_id ON public.mautic_user_transports USING btree (transport_id);
CREATE INDEX mautic_users_mautic_id_email_key ON public.mautic_users USING btree (mautic_id, email_key);
CREATE INDEX mautic_users_search_text ON public.mautic_users USING gin (search_text public.gin_trgm_ops);
CREATE INDEX mautics_search_text ON public.mautics USING gin (search_text public.gin_trgm_ops);
CREATE INDEX oauth_codes_client_id ON public.oauth_codes USING btree (client_id);
CREATE INDEX oauth_codes_expires_at ON public.oauth_codes USING btree (expires_at);
CREATE INDEX oauth_codes_family ON public.oauth_codes USING btree (family);
CREATE INDEX oauth_codes_user_id ON public.oauth_codes USING btree (user_id);
CREATE INDEX oauth_tokens_client_id ON public.oauth_tokens USING btree (client_id);
CREATE INDEX oauth_tokens_expires_at ON public.oauth_tokens USING btree (expires_at);
CREATE INDEX oauth_tokens_family ON public.oauth_tokens USING btree (family);
CREATE INDEX oauth_tokens_user_id ON public.oauth_tokens USING btree (user_id);
CREATE INDEX password_links_user_id ON public.password_links USING btree (user_id);
CREATE UNIQUE INDEX queue_messages_broadcast_id ON public.queue_messages USING btree (broadcast_id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX queue_notices_message_id ON public.queue_notices USING btree (message_id);
CREATE INDEX queue_recipients_address_key ON public.queue_recipients USING btree (address_key);
CREATE INDEX queue_recipients_brake_id ON public.queue_recipients USING btree (brake_id) WHERE (brake_id IS NOT NULL);
CREATE INDEX queue_recipients_broadcast_id ON public.queue_recipients USING btree (broadcast_id, contact_id) WHERE (broadcast_id IS NOT NULL);
CREATE INDEX queue_recipients_claimed_by ON public.queue_recipients USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX queue_recipients_due ON public.queue_recipients USING btree (state, transport_id, lane, due_at);
CREATE INDEX queue_recipients_message_id ON public.queue_recipients USING btree (message_id);
CREATE INDEX queue_recipients_waits_for ON public.queue_recipients USING btree (waits_for, id) WHERE (waits_for IS NOT NULL);
CREATE INDEX received_events_due ON public.received_events USING btree (due_at, id);
CREATE INDEX received_events_of_transport ON public.received_events USING btree (transport_id, due_at, id, size);
CREATE INDEX refresh_tokens_rotated_at ON public.refresh_tokens USING btree (rotated_at);
CREATE INDEX roles_search_text ON public.roles USING gin (search_text public.gin_trgm_ops);
CREATE INDEX sender_checks_transport_id ON public.sender_checks USING btree (transport_id);
CREATE INDEX sender_proofs_transport_id ON public.sender_proofs USING btree (transport_id);
CREATE INDEX sender_uses_last_used_at ON public.sender_uses USING btree (last_used_at);
CREATE INDEX suppressions_address_key ON public.suppressions USING btree (address_key);
CREATE INDEX suppressions_broadcast_id ON public.suppressions USING btree (broadcast_id) WHERE (broadcast_id IS NOT NULL);
CREATE UNIQUE INDEX suppressions_identity_key ON public.suppressions USING btree (identity_key);
CREATE INDEX suppressions_search_text ON public.suppressions USING gin (search_text public.gin_trgm_ops);
CREATE INDEX suppressions_transport_id ON public.suppressions USING btree (transport_id) WHERE (transport_id IS NOT NULL);
CREATE INDEX transports_name_key_id ON public.transports USING btree (name_key, id);
CREATE INDEX transports_name_order ON public.transports USING btree (lower(COALESCE(name, ''::text)), id);
CREATE INDEX transports_search_text ON public.transports USING gin (search_text public.gin_trgm_ops);
CREATE INDEX twig_templates_names ON public.twig_templates USING btree (name_key, mautic_id, is_published, id);
CREATE INDEX twig_templates_search_text ON public.twig_templates USING gin (search_text public.gin_trgm_ops);
CREATE INDEX user_transports_transport_id ON public.user_transports USING btree (transport_id);
CREATE INDEX users_role_id ON public.users USING btree (role_id);
CREATE INDEX users_search_text ON public.users USING gin (search_text public.gin_trgm_ops);
CREATE INDEX users_username_skeleton ON public.users USING btree (username_skeleton);
CREATE INDEX webhook_messages_state_due_at ON public.webhook_messages USING btree (state, due_at);
CREATE INDEX webhook_messages_webhook_id_id ON public.webhook_messages USING btree (webhook_id, id);
CREATE INDEX webhook_messages_webhook_id_state_due_at_id ON public.webhook_messages USING btree (webhook_id, state, due_at, id);
CREATE INDEX webhook_tokens_received_at ON public.webhook_tokens USING btree (received_at);
CREATE INDEX webhooks_search_text ON public.webhooks USING gin (search_text public.gin_trgm_ops);
ALTER INDEX public.deliveries_recipients ATTACH PARTITION public.deliveries_2026_11_broadcast_id_contact_id_started_at_idx;
ALTER INDEX public.deliveries_broadcast_id ATTACH PARTITION public.deliveries_2026_11_broadcast_id_started_at_id_idx;
ALTER INDEX public.deliveries_event ATTACH PARTITION public.deliveries_2026_11_event_started_at_id_idx;
ALTER INDEX public.deliveries_contact_id ATTACH PARTITION public.deliveries_2026_11_mautic_id_contact_id_started_at_id_idx;
ALTER INDEX public.deliveries_email_id ATTACH PARTITION public.deliveries_2026_11_mautic_id_email_id_started_at_id_idx;
ALTER INDEX public.deliveries_mautic_id ATTACH PARTITION public.deliveries_2026_11_mautic_id_started_at_id_idx;
ALTER INDEX public.deliveries_refusals ATTACH PARTITION public.deliveries_2026_11_mautic_id_started_at_id_idx1;
ALTER INDEX public.deliveries_member ATTACH PARTITION public.deliveries_2026_11_member_started_at_id_idx;
ALTER INDEX public.deliveries_outcome ATTACH PARTITION public.deliveries_2026_11_outcome_started_at_id_idx;
ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_2026_11_pkey;
ALTER INDEX public.deliveries_recipient_key ATTACH PARTITION public.deliveries_2026_11_recipient_key_started_at_id_idx;
ALTER INDEX public.deliveries_source ATTACH PARTITION public.deliveries_2026_11_source_started_at_id_idx;
ALTER INDEX public.deliveries_time ATTACH PARTITION public.deliveries_2026_11_started_at_id_idx;
ALTER INDEX public.deliveries_transport_id ATTACH PARTITION public.deliveries_2026_11_transport_id_started_at_id_idx;
ALTER INDEX public.deliveries_recipients ATTACH PARTITION public.deliveries_2026_12_broadcast_id_contact_id_started_at_idx;
ALTER INDEX public.deliveries_broadcast_id ATTACH PARTITION public.deliveries_2026_12_broadcast_id_started_at_id_idx;
ALTER INDEX public.deliveries_event ATTACH PARTITION public.deliveries_2026_12_event_started_at_id_idx;
ALTER INDEX public.deliveries_contact_id ATTACH PARTITION public.deliveries_2026_12_mautic_id_contact_id_started_at_id_idx;
ALTER INDEX public.deliveries_email_id ATTACH PARTITION public.deliveries_2026_12_mautic_id_email_id_started_at_id_idx;
ALTER INDEX public.deliveries_mautic_id ATTACH PARTITION public.deliveries_2026_12_mautic_id_started_at_id_idx;
ALTER INDEX public.deliveries_refusals ATTACH PARTITION public.deliveries_2026_12_mautic_id_started_at_id_idx1;
ALTER INDEX public.deliveries_member ATTACH PARTITION public.deliveries_2026_12_member_started_at_id_idx;
ALTER INDEX public.deliveries_outcome ATTACH PARTITION public.deliveries_2026_12_outcome_started_at_id_idx;
ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_2026_12_pkey;
ALTER INDEX public.deliveries_recipient_key ATTACH PARTITION public.deliveries_2026_12_recipient_key_started_at_id_idx;
ALTER INDEX public.deliveries_source ATTACH PARTITION public.deliveries_2026_12_source_started_at_id_idx;
ALTER INDEX public.deliveries_time ATTACH PARTITION public.deliveries_2026_12_started_at_id_idx;
ALTER INDEX public.deliveries_transport_id ATTACH PARTITION public.deliveries_2026_12_transport_id_started_at_id_idx;
ALTER INDEX public.deliveries_recipients ATTACH PARTITION public.deliveries_2027_01_broadcast_id_contact_id_started_at_idx;
ALTER INDEX public.deliveries_broadcast_id ATTACH PARTITION public.deliveries_2027_01_broadcast_id_started_at_id_idx;
ALTER INDEX public.deliveries_event ATTACH PARTITION public.deliveries_2027_01_event_started_at_id_idx;
ALTER INDEX public.deliveries_contact_id ATTACH PARTITION public.deliveries_2027_01_mautic_id_contact_id_started_at_id_idx;
ALTER INDEX public.deliveries_email_id ATTACH PARTITION public.deliveries_2027_01_mautic_id_email_id_started_at_id_idx;
ALTER INDEX public.deliveries_mautic_id ATTACH PARTITION public.deliveries_2027_01_mautic_id_started_at_id_idx;
ALTER INDEX public.deliveries_refusals ATTACH PARTITION public.deliveries_2027_01_mautic_id_started_at_id_idx1;
ALTER INDEX public.deliveries_member ATTACH PARTITION public.deliveries_2027_01_member_started_at_id_idx;
ALTER INDEX public.deliveries_outcome ATTACH PARTITION public.deliveries_2027_01_outcome_started_at_id_idx;
ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_2027_01_pkey;
ALTER INDEX public.deliveries_recipient_key ATTACH PARTITION public.deliveries_2027_01_recipient_key_started_at_id_idx;
ALTER INDEX public.deliveries_source ATTACH PARTITION public.deliveries_2027_01_source_started_at_id_idx;
ALTER INDEX public.deliveries_time ATTACH PARTITION public.deliveries_2027_01_started_at_id_idx;
ALTER INDEX public.deliveries_transport_id ATTACH PARTITION public.deliveries_2027_01_transport_id_started_at_id_idx;
ALTER INDEX public.deliveries_recipients ATTACH PARTITION public.deliveries_default_broadcast_id_contact_id_started_at_idx;
ALTER INDEX public.deliveries_broadcast_id ATTACH PARTITION public.deliveries_default_broadcast_id_started_at_id_idx;
ALTER INDEX public.deliveries_event ATTACH PARTITION public.deliveries_default_event_started_at_id_idx;
ALTER INDEX public.deliveries_contact_id ATTACH PARTITION public.deliveries_default_mautic_id_contact_id_started_at_id_idx;
ALTER INDEX public.deliveries_email_id ATTACH PARTITION public.deliveries_default_mautic_id_email_id_started_at_id_idx;
ALTER INDEX public.deliveries_mautic_id ATTACH PARTITION public.deliveries_default_mautic_id_started_at_id_idx;
ALTER INDEX public.deliveries_refusals ATTACH PARTITION public.deliveries_default_mautic_id_started_at_id_idx1;
ALTER INDEX public.deliveries_member ATTACH PARTITION public.deliveries_default_member_started_at_id_idx;
ALTER INDEX public.deliveries_outcome ATTACH PARTITION public.deliveries_default_outcome_started_at_id_idx;
ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_default_pkey;
ALTER INDEX public.deliveries_recipient_key ATTACH PARTITION public.deliveries_default_recipient_key_started_at_id_idx;
ALTER INDEX public.deliveries_source ATTACH PARTITION public.deliveries_default_source_started_at_id_idx;
ALTER INDEX public.deliveries_time ATTACH PARTITION public.deliveries_default_started_at_id_idx;
ALTER INDEX public.deliveries_transport_id ATTACH PARTITION public.deliveries_default_transport_id_started_at_id_idx;
ALTER INDEX public.delivery_events_once ATTACH PARTITION public.delivery_events_2026_10_delivery_id_started_at_event_key_idx;
ALTER INDEX public.delivery_events_pkey ATTACH PARTITION public.delivery_events_2026_10_pkey;
ALTER INDEX public.delivery_events_once ATTACH PARTITION public.delivery_events_2026_11_delivery_id_started_at_event_key_idx;
ALTER INDEX public.delivery_events_pkey ATTACH PARTITION public.delivery_events_2026_11_pkey;
ALTER INDEX public.delivery_events_once ATTACH PARTITION public.delivery_events_2026_12_delivery_id_started_at_event_key_idx;
ALTER INDEX public.delivery_events_pkey ATTACH PARTITION public.delivery_events_2026_12_pkey;
ALTER INDEX public.delivery_events_once ATTACH PARTITION public.delivery_events_default_delivery_id_started_at_event_key_idx;
ALTER INDEX public.delivery_events_pkey ATTACH PARTITION public.delivery_events_default_pkey;
CREATE TRIGGER deliveries_count_delete AFTER DELETE ON public.deliveries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.append_delivery_count_changes();
CREATE TRIGGER deliveries_count_insert AFTER INSERT ON public.deliveries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.append_delivery_count_changes();
CREATE TRIGGER deliveries_count_update AFTER UPDATE ON public.deliveries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.append_delivery_count_changes();
CREATE TRIGGER email_transports_delete_repairs AFTER DELETE ON public.email_transports FOR EACH ROW EXECUTE FUNCTION public.email_transports_delete_repairs();
CREATE TRIGGER email_transports_insert_repairs AFTER INSERT ON public.email_transports FOR EACH ROW EXECUTE FUNCTION public.email_transports_insert_repairs();
CREATE TRIGGER email_transports_update_repairs AFTER UPDATE ON public.email_transports FOR EACH ROW EXECUTE FUNCTION public.email_transports_update_repairs();
CREATE TRIGGER mautic_email_transports_delete_repairs AFTER DELETE ON public.mautic_email_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_email_transports_delete_repairs();
CREATE TRIGGER mautic_email_transports_insert_repairs AFTER INSERT ON public.mautic_email_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_email_transports_insert_repairs();
CREATE TRIGGER mautic_email_transports_update_repairs AFTER UPDATE ON public.mautic_email_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_email_transports_update_repairs();
CREATE TRIGGER mautic_user_transports_delete_repairs AFTER DELETE ON public.mautic_user_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_user_transports_delete_repairs();
CREATE TRIGGER mautic_user_transports_insert_repairs AFTER INSERT ON public.mautic_user_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_user_transports_insert_repairs();
CREATE TRIGGER mautic_user_transports_update_repairs AFTER UPDATE ON public.mautic_user_transports FOR EACH ROW EXECUTE FUNCTION public.mautic_user_transports_update_repairs();
CREATE TRIGGER mautics_update_repairs AFTER UPDATE ON public.mautics FOR EACH ROW WHEN ((new.transport_id IS DISTINCT FROM old.transport_id)) EXECUTE FUNCTION public.mautics_update_repairs();
CREATE TRIGGER transports_delete_repairs AFTER DELETE ON public.transports FOR EACH ROW EXECUTE FUNCTION public.transports_delete_repairs();
CREATE TRIGGER transports_insert_repairs AFTER INSERT ON public.transports FOR EACH ROW EXECUTE FUNCTION public.transports_insert_repairs();
CREATE TRIGGER transports_update_repairs AFTER UPDATE ON public.transports FOR EACH ROW WHEN ((new.revision <> old.revision)) EXECUTE FUNCTION public.transports_update_repairs();
CREATE TRIGGER user_transports_delete_repairs AFTER DELETE ON public.user_transports FOR EACH ROW EXECUTE FUNCTION public.user_transports_delete_repairs();
CREATE TRIGGER user_transports_insert_repairs AFTER INSERT ON public.user_transports FOR EACH ROW EXECUTE FUNCTION public.user_transports_insert_repairs();
CREATE TRIGGER user_transports_update_repairs AFTER UPDATE ON public.user_transports FOR EACH ROW EXECUTE FUNCTION public.user_transports_update_repairs();
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.contact_segments
    ADD CONSTRAINT contact_segments_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES public.contacts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.deleted_template_versions
    ADD CONSTRAINT deleted_template_versions_kind_template_id_fkey FOREIGN KEY (kind, template_id) REFERENCES public.deleted_records(kind, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.email_transports
    ADD CONSTRAINT email_transports_email_id_fkey FOREIGN KEY (email_id) REFERENCES public.emails(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.email_transports
    ADD CONSTRAINT email_transports_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.inbox_pieces
    ADD CONSTRAINT inbox_pieces_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.inbox_messages(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.login_sessions
    ADD CONSTRAINT login_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_domains
    ADD CONSTRAINT mautic_domains_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_email_transports
    ADD CONSTRAINT mautic_email_transports_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_email_transports
    ADD CONSTRAINT mautic_email_transports_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.mautic_emails
    ADD CONSTRAINT mautic_emails_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_events
    ADD CONSTRAINT mautic_events_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_list_entries
    ADD CONSTRAINT mautic_list_entries_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_list_removals
    ADD CONSTRAINT mautic_list_removals_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_lists
    ADD CONSTRAINT mautic_lists_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_refusal_marks
    ADD CONSTRAINT mautic_refusal_marks_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_reports
    ADD CONSTRAINT mautic_reports_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_sends
    ADD CONSTRAINT mautic_sends_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_states
    ADD CONSTRAINT mautic_states_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_user_transports
    ADD CONSTRAINT mautic_user_transports_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_user_transports
    ADD CONSTRAINT mautic_user_transports_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_users
    ADD CONSTRAINT mautic_users_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautic_webhooks
    ADD CONSTRAINT mautic_webhooks_mautic_id_fkey FOREIGN KEY (mautic_id) REFERENCES public.mautics(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mautics
    ADD CONSTRAINT mautics_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_role_id_fkey FOREIGN KEY (role_id) REFERENCES public.roles(id);
ALTER TABLE ONLY public.oauth_codes
    ADD CONSTRAINT oauth_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_codes
    ADD CONSTRAINT oauth_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.oauth_clients(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_tokens
    ADD CONSTRAINT oauth_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.password_links
    ADD CONSTRAINT password_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.transport_tests
    ADD CONSTRAINT transport_tests_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.twig_template_versions
    ADD CONSTRAINT twig_template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.twig_templates(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_transports
    ADD CONSTRAINT user_transports_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_transports
    ADD CONSTRAINT user_transports_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_role_id_fkey FOREIGN KEY (role_id) REFERENCES public.roles(id);
ALTER TABLE ONLY public.webhook_alerts
    ADD CONSTRAINT webhook_alerts_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_states
    ADD CONSTRAINT webhook_states_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_transport_id_fkey FOREIGN KEY (transport_id) REFERENCES public.transports(id) ON DELETE SET NULL;
