begin;
CREATE TABLE "migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "data_keys" ("id" text primary key, "wrapped" text not null, "secret_key_id" text not null, "created_at" bigint not null, "retired_at" bigint);
CREATE TABLE "signing_keys" ("purpose" text primary key, "sealed" text not null);
CREATE TABLE "installation" ("public_url" text, "is_restored" boolean default false not null, "table_id" text not null);
CREATE TABLE "deleted_records" ("kind" text not null, "id" bigint not null, "name" text not null, "search_text" text not null, "brand_id" bigint default 0 not null, "is_published" boolean not null, "created_by_id" bigint, "date_deleted" bigint not null, "deleted_by" text not null, "record" text not null, "related" text not null, constraint "deleted_records_key" primary key ("kind", "id"));
CREATE TABLE "roles" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "description" text, "is_admin" boolean not null, "permissions" text not null);
CREATE TABLE "users" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "username" text not null, "username_key" text not null unique, "username_skeleton" text not null, "email" text not null, "email_key" text not null unique, "first_name" text not null, "last_name" text not null, "password_hash" text not null, "role_id" bigint not null references "roles" ("id"), "smtp_mode" text, "brands" text default '[]' not null, "networks" text default '[]' not null, "valid_until" text);
CREATE TABLE "oauth_clients" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "client_id" text not null unique, "secret_hash" text not null, "redirect_uris" text not null, "grant_types" text not null, "role_id" bigint references "roles" ("id"), "smtp_mode" text, "brand_id" bigint default 0 not null, "networks" text default '[]' not null, "valid_until" text);
CREATE TABLE "oauth_tokens" ("hash" text primary key, "family" text not null, "client_id" bigint not null references "oauth_clients" ("id") on delete cascade, "user_id" bigint references "users" ("id") on delete cascade, "expires_at" bigint not null, "used_at" bigint, "created_at" bigint not null, "kind" text not null);
CREATE TABLE "oauth_codes" ("hash" text primary key, "family" text not null, "client_id" bigint not null references "oauth_clients" ("id") on delete cascade, "user_id" bigint references "users" ("id") on delete cascade, "expires_at" bigint not null, "used_at" bigint, "created_at" bigint not null, "redirect_uri" text not null, "code_challenge" text, "code_challenge_method" text);
CREATE TABLE "login_sessions" ("hash" text primary key, "user_id" bigint not null references "users" ("id") on delete cascade, "expires_at" bigint not null);
CREATE TABLE "password_links" ("hash" text primary key, "user_id" bigint not null references "users" ("id") on delete cascade, "expires_at" bigint not null);
CREATE TABLE "console_sessions" ("id" integer primary key autoincrement, "hash" text not null unique, "user_id" bigint not null references "users" ("id") on delete cascade, "created_at" bigint not null, "used_at" bigint not null, "expires_at" bigint not null, "address" text not null, "user_agent" text not null);
CREATE TABLE "brands" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "description" text, "domains" text not null, "color" text not null);
CREATE TABLE "emails" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "subject" text not null, "from_address" text, "from_name" text, "reply_to_address" text, "custom_html" text, "plain_text" text, "headers" text not null, "is_twig" boolean not null, "brand_id" bigint default 0 not null);
CREATE TABLE "contacts" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "email" text, "email_key" text, "identity_key" text, "owner_id" bigint references "users" ("id") on delete set null, "points" bigint not null, "field_values" text not null, "tags" text not null, "brand_id" bigint default 0 not null);
CREATE TABLE "transports" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "name_key" text not null, "description" text, "mailer_dsn" text not null, "tested_email_from" text, "is_public_only" boolean default false not null, "brand_id" bigint default 0 not null);
CREATE TABLE "transport_tests" ("transport_id" bigint primary key references "transports" ("id") on delete cascade, "tested_at" bigint not null, "tested_by" text, "success" boolean not null, "message" text not null, "duration_ms" bigint not null, "stage" text);
CREATE TABLE "refresh_tokens" ("grant_key" text primary key, "sealed_token" text not null, "rotated_at" bigint not null);
CREATE TABLE "twig_templates" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "name_key" text not null, "description" text, "template" text not null, "refers_to" text not null, "brand_id" bigint default 0 not null);
CREATE TABLE "twig_template_versions" ("template_id" bigint not null references "twig_templates" ("id") on delete cascade, "version" bigint not null, "name" text not null, "description" text, "template" text not null, "saved_at" bigint not null, "saved_by" text not null, "note" text, constraint "twig_template_versions_key" primary key ("template_id", "version"));
CREATE TABLE deleted_template_versions (
      kind text not null default 'twig_templates',
      template_id bigint not null,
      version bigint not null,
      name text not null,
      description text,
      template text not null,
      saved_at bigint not null,
      saved_by text not null,
      note text,
      primary key (template_id, version),
      foreign key (kind, template_id) references deleted_records (kind, id) on delete cascade
        deferrable initially deferred);
CREATE TABLE "inbox_messages" ("id" integer primary key autoincrement, "captured_at" bigint not null, "sender" text not null, "recipients" text not null, "subject" text not null, "message_id" text, "brand_id" bigint default 0 not null, "transport_id" bigint, "transport" text, "size_bytes" bigint not null, "key_id" text not null, "source" blob not null);
CREATE TABLE "mautics" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null unique, "url" text not null, "client_id" text, "secret" text not null, "username" text, "transport_id" bigint references "transports" ("id") on delete set null, "smtp_mode" text, "hosts" text not null, "role_map" text not null, "is_reporting" boolean not null, "smtp_login" text not null unique, "smtp_password_hash" text not null, "webhook_secret" text, "is_tagging" boolean default false not null, "brand_id" bigint default 0 not null, "networks" text default '[]' not null, "valid_until" text);
CREATE TABLE "mautic_reports" ("id" integer primary key autoincrement, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "contact_id" bigint, "address" text not null, "address_key" text not null, "email_id" bigint, "reason" bigint not null, "comments" text not null, "is_removal" boolean default false not null, "state" text not null, "attempts" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "problem" text, constraint "mautic_reports_key" unique ("mautic_id", "address_key", "reason"));
CREATE TABLE "mautic_states" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "id" bigint not null, "state" text not null, "attempts" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "problem" text, "is_reinstalled" boolean not null, "polled_at" bigint, "synchronized_at" bigint, "problem_since" bigint);
CREATE TABLE "mautic_emails" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "name" text not null, "subject" text not null, "subject_key" text not null, "search_text" text not null, "is_published" boolean not null, "date_added" bigint, "date_modified" bigint, "send_to_dnc" boolean, constraint "mautic_emails_key" primary key ("mautic_id", "id"));
CREATE TABLE "mautic_users" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "username" text not null, "email" text not null, "email_key" text not null, "first_name" text not null, "last_name" text not null, "search_text" text not null, "is_published" boolean not null, "date_added" bigint, "date_modified" bigint, constraint "mautic_users_key" primary key ("mautic_id", "id"));
CREATE TABLE "mautic_sends" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "created_at" bigint not null, "hash" text not null, "address_key" text not null, "email_id" bigint, "contact_id" bigint, constraint "mautic_sends_key" primary key ("mautic_id", "hash"));
CREATE TABLE "mautic_domains" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "domain" text not null, "applied_to" bigint default 0 not null, constraint "mautic_domains_key" primary key ("mautic_id", "domain"));
CREATE TABLE "mautic_events" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "created_at" bigint not null, "changed_at" bigint not null, "hash" text not null, "status" text not null, constraint "mautic_events_key" primary key ("mautic_id", "hash"));
CREATE TABLE "mautic_webhooks" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "hook_id" bigint not null, "created_at" bigint not null, "url" text not null, "accepts_unproven" boolean not null, "problem" text, "problem_since" bigint, "arrived_at" bigint, "expected_since" bigint);
CREATE TABLE "mautic_lists" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "seq" bigint default 0 not null, "address_after" bigint default 0 not null, "held" bigint default 0 not null, "applied_brand" bigint default 0 not null, "applied_to" bigint default 0 not null, "after_id" bigint, "started_at" bigint, "read_at" bigint);
CREATE TABLE "mautic_list_entries" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "contact_id" bigint not null, "reason" bigint not null, "added_at" bigint not null, "seq" bigint not null, "address_key" text not null, "is_reported" boolean not null, "missing_since" bigint, constraint "mautic_list_entries_key" primary key ("mautic_id", "id", "contact_id"));
CREATE TABLE "mautic_list_removals" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "removed_at" bigint not null, "address_key" text not null, constraint "mautic_list_removals_key" primary key ("mautic_id", "address_key"));
CREATE TABLE "mautic_tag_marks" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "reached_at" bigint not null);
CREATE TABLE "email_transports" ("transport_id" bigint references "transports" ("id") on delete set null, "use_owner_transport" boolean not null, "deleted_transport_id" bigint, "email_id" bigint primary key references "emails" ("id") on delete cascade);
CREATE TABLE "user_transports" ("transport_id" bigint not null references "transports" ("id") on delete cascade, "user_id" bigint primary key references "users" ("id") on delete cascade);
CREATE TABLE "mautic_email_transports" ("transport_id" bigint references "transports" ("id") on delete set null, "use_owner_transport" boolean not null, "deleted_transport_id" bigint, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "email_id" bigint not null, constraint "mautic_email_transports_key" primary key ("mautic_id", "email_id"));
CREATE TABLE "mautic_user_transports" ("transport_id" bigint not null references "transports" ("id") on delete cascade, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "user_id" bigint not null, constraint "mautic_user_transports_key" primary key ("mautic_id", "user_id"));
CREATE TABLE "limits" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "description" text, "transports" text not null, "per_second" bigint, "per_minute" bigint, "per_hour" bigint, "per_day" bigint, "per_month" bigint, "connections_max" bigint, "warm_up" text, "overflow" text not null, "brand_id" bigint default 0 not null);
CREATE TABLE "limit_usage" ("key" text primary key, "state" text not null);
CREATE TABLE "suppressions" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "address" text not null, "address_key" text not null, "sender_domain" text, "identity_key" text not null, "reason" text not null, "source" text, "transport_id" bigint, "delivery_id" bigint, "brand_id" bigint default 0 not null);
CREATE TABLE "deliveries" ("id" integer primary key autoincrement, "started_at" bigint not null, "duration_ms" bigint, "source" text not null, "caller" text not null, "email_id" bigint, "contact_id" bigint, "sender" text not null, "recipient" text not null, "recipient_key" text not null, "transport_id" bigint not null, "transport" text, "member" text, "outcome" text not null, "reply" text, "reason" text, "message_id" text, "provider_id" text, "process_id" text not null, "trace" text not null, "request_hash" text, "mautic_id" bigint default 0 not null, "is_bounced" boolean default false not null, "subject" text, "event" text, "is_bulk" boolean default false not null, "class" text, "brand_id" bigint default 0 not null);
CREATE TABLE "delivery_events" ("id" integer primary key autoincrement, "delivery_id" bigint not null, "started_at" bigint not null, "transport_id" bigint not null, "type" text not null, "class" text, "at" bigint not null, "received_at" bigint not null, "reason" text, "provider" text not null, "source" text not null, "is_guess" boolean not null, "is_first" boolean not null, "event_key" text not null);
CREATE TABLE "delivery_keys" ("key" text not null primary key, "kind" text not null, "delivery_id" bigint not null, "started_at" bigint not null, "acknowledged_at" bigint) without rowid;
CREATE TABLE "delivery_counts" ("transport_id" bigint not null, "brand_id" bigint default 0 not null, "span_ms" bigint not null, "started_at" bigint not null, "source" text not null, "outcome" text not null, "count" bigint not null, constraint "delivery_counts_once" primary key ("transport_id", "brand_id", "span_ms", "started_at", "source", "outcome")) without rowid;
CREATE TABLE delivery_count_changes (id integer primary key, started_at bigint, transport_id bigint,
    source text, outcome text, change bigint, brand_id bigint default 0);
CREATE TABLE "delivery_processes" ("id" text primary key, "seen_at" bigint not null, "host" text, "pid" bigint, "version" text, "started_at" bigint);
CREATE TABLE "queue_messages" ("id" integer primary key autoincrement, "created_at" bigint not null, "expires_at" bigint not null, "lane" text not null, "caller" text not null, "submitter" text not null, "sender" text not null, "message_id" text, "subject" text, "mautic_id" bigint default 0 not null, "email_id" bigint, "contact_id" bigint, "rendered" text, "size_bytes" bigint not null, "key_id" text not null, "body" blob not null);
CREATE TABLE "queue_recipients" ("id" integer primary key autoincrement, "message_id" bigint not null, "address" text not null, "address_key" text not null, "state" text not null, "lane" text not null, "transport_id" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "attempts" bigint not null, "claimed_by" text, "problem" text, "message_key" text not null unique, "bulk_key" text unique, "brake_id" bigint, "waits_for" bigint, "decided_by" text, "brand_id" bigint default 0 not null);
CREATE TABLE queue_size (bytes integer not null);
CREATE TABLE "queue_holds" ("transport_id" bigint not null primary key, "held_by" text not null, "held_at" bigint not null);
CREATE TABLE "queue_brakes" ("id" integer primary key autoincrement, "mautic_id" bigint default 0 not null, "brand_id" bigint default 0 not null, "sender_domain" text not null, "transport_id" bigint not null, "kind" text not null, "messages" bigint not null, "affected" bigint not null, "braked_at" bigint, "continued_at" bigint, constraint "queue_brakes_once" unique ("mautic_id", "brand_id", "sender_domain", "transport_id"));
CREATE TABLE "queue_notices" ("id" integer primary key autoincrement, "message_id" bigint not null, "status" text not null);
CREATE TABLE "webhooks" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "events" text not null, "format" text not null, "url" text not null, "secret" text, "old_secret" text, "old_secret_until" bigint, "brand_id" bigint default 0 not null);
CREATE TABLE "webhook_states" ("webhook_id" bigint primary key references "webhooks" ("id") on delete cascade, "last_success_at" bigint, "failing_since" bigint, "dead_at" bigint, "problem" text);
CREATE TABLE "webhook_messages" ("id" integer primary key autoincrement, "webhook_id" bigint not null, "message_id" text not null, "type" text not null, "brand_id" bigint default 0 not null, "cause" text not null, "events" bigint not null, "body" text not null, "state" text not null, "attempts" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "problem" text);
CREATE TABLE "webhook_alerts" ("webhook_id" bigint not null references "webhooks" ("id") on delete cascade, "type" text not null, "cause" text not null, "message_id" text, "sent_at" bigint not null, "left_out" bigint not null, constraint "webhook_alerts_key" primary key ("webhook_id", "type", "cause"));
CREATE TABLE "received_events" ("id" integer primary key autoincrement, "transport_id" bigint, "provider" text not null, "received_at" bigint not null, "due_at" bigint not null, "attempts" bigint default 0 not null, "size" bigint not null, "events" text not null);
CREATE TABLE "transport_webhooks" ("transport_id" bigint not null, "provider" text not null, "secret" text not null, "signing_key" text, "pinned" text, "created_at" bigint not null, "last_event_at" bigint, "problem" text, "problem_at" bigint, "delivered" bigint default 0 not null, "deferred" bigint default 0 not null, "bounced" bigint default 0 not null, "complained" bigint default 0 not null, "unsubscribed" bigint default 0 not null, "rejected" bigint default 0 not null, "ignored" bigint default 0 not null, "unknown" bigint default 0 not null, "refused" bigint default 0 not null, constraint "transport_webhooks_key" primary key ("transport_id", "provider"));
CREATE TABLE "webhook_tokens" ("hash" text primary key, "received_at" bigint not null) without rowid;
CREATE TABLE "published_conditions" ("key" text not null primary key, "at" bigint not null);
CREATE TABLE "sender_uses" ("domain" text not null, "transport_id" bigint not null, "brand_id" bigint not null, "last_used_at" bigint not null, "other_envelope" text, "other_envelope_at" bigint, constraint "sender_uses_key" primary key ("domain", "transport_id", "brand_id"));
CREATE TABLE "sender_checks" ("domain" text not null, "transport_id" bigint not null, "brand_id" bigint not null, "verdict" text not null, "sentence" text not null, "missing" text not null, "members" text not null, "dmarc" text not null, "policy" text, "checked_at" bigint not null, constraint "sender_checks_key" primary key ("domain", "transport_id", "brand_id"));
CREATE TABLE "dkim_keys" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "domain" text not null, "algorithm" text not null, "selector" text not null, "private_key" text not null, "public_key" text not null, "active_at" bigint, "absent_since" bigint, "problem" text, "checked_at" bigint, "brand_id" bigint default 0 not null);
insert into migrations (name, timestamp) values ('00.01.00_00_data_keys', '2026-11-30T21:44:43.742Z');
insert into migrations (name, timestamp) values ('00.01.00_01_installation', '2026-11-30T21:44:43.750Z');
insert into migrations (name, timestamp) values ('00.01.00_02_deleted_records', '2026-11-30T21:44:43.756Z');
insert into migrations (name, timestamp) values ('00.01.00_10_users', '2026-11-30T21:44:43.788Z');
insert into migrations (name, timestamp) values ('00.01.00_11_brands', '2026-11-30T21:44:43.809Z');
insert into migrations (name, timestamp) values ('00.01.00_12_emails', '2026-11-30T21:44:43.811Z');
insert into migrations (name, timestamp) values ('00.01.00_13_contacts', '2026-11-30T21:44:43.828Z');
insert into migrations (name, timestamp) values ('00.01.00_14_transports', '2026-11-30T21:44:43.850Z');
insert into migrations (name, timestamp) values ('00.01.00_15_twig_templates', '2026-11-30T21:44:43.863Z');
insert into migrations (name, timestamp) values ('00.01.00_16_inbox', '2026-11-30T21:44:43.879Z');
insert into migrations (name, timestamp) values ('00.01.00_20_mautics', '2026-11-30T21:44:43.955Z');
insert into migrations (name, timestamp) values ('00.01.00_21_assignments', '2026-11-30T21:44:43.971Z');
insert into migrations (name, timestamp) values ('00.01.00_22_limits', '2026-11-30T21:44:43.987Z');
insert into migrations (name, timestamp) values ('00.01.00_23_suppressions', '2026-11-30T21:44:43.989Z');
insert into migrations (name, timestamp) values ('00.01.00_30_deliveries', '2026-11-30T21:44:44.075Z');
insert into migrations (name, timestamp) values ('00.01.00_31_queue', '2026-11-30T21:44:44.148Z');
insert into migrations (name, timestamp) values ('00.01.00_40_webhooks', '2026-11-30T21:44:44.167Z');
insert into migrations (name, timestamp) values ('00.01.00_41_received_events', '2026-11-30T21:44:44.182Z');
insert into migrations (name, timestamp) values ('00.01.00_42_transport_webhooks', '2026-11-30T21:44:44.184Z');
insert into migrations (name, timestamp) values ('00.01.00_43_published_conditions', '2026-11-30T21:44:44.185Z');
insert into migrations (name, timestamp) values ('00.01.00_44_senders', '2026-11-30T21:44:44.199Z');
insert into migrations (name, timestamp) values ('00.01.00_45_dkim_keys', '2026-11-30T21:44:44.206Z');
insert into migration_lock (id, is_locked) values ('migration_lock', 0);
insert into data_keys (id, wrapped, secret_key_id, created_at, retired_at) values ('80560b30', 'XEA2F35mulB/BTqcv9SBVhOkNCXZMuHyZ3YYxhJeC3j6iVoeOkHNybzsXZ2yw5USoWGSLrwsO+feAQSD', '1c0f47864cb1ecb4', 1796126400068, NULL);
insert into signing_keys (purpose, sealed) values ('links', '80560b30.uaYR2sazLQjEo2NRtQ+4NogGZQhs4e5ybo7e6I++34JJCXs0WOlIu7xBKX91mnIOOVlQMkkwTvmmMMd9qheXiFGSfJUck6OY');
insert into signing_keys (purpose, sealed) values ('return paths', '80560b30.4+/sbjJwKElnXa65t2JMh0J3//yv8ddXWcXi7dlNijuMuUFrZV2aBWJ+Dev7T5P+OcukwOsSLaPhs9j7KmvOa1tN7iGt7W3Q');
insert into installation (public_url, is_restored, table_id) values ('https://mail.example.com', 0, '');
insert into deleted_records (kind, id, name, search_text, brand_id, is_published, created_by_id, date_deleted, deleted_by, record, related) values ('transports', 5, 'Deleted', 'deleted', 0, 1, 1, 1796126409013, 'Admin', '{"id":5,"is_published":1,"date_added":1796126405764,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted","name":"Deleted","name_key":"deleted","description":null,"mailer_dsn":"80560b30.Q8wAOIbZ8lcUuYJaeie5SM9tXdu07WgNm+xpvVKgqeUihqwDPWWVeoyO/ukcFtjK8g/HTCDyI+kM","tested_email_from":null,"is_public_only":0,"brand_id":0}', '{"lastTest":null,"uses":{}}');
insert into deleted_records (kind, id, name, search_text, brand_id, is_published, created_by_id, date_deleted, deleted_by, record, related) values ('twig_templates', 2, 'Deleted', 'deleted', 0, 1, 1, 1796126409066, 'Admin', '{"id":2,"is_published":1,"date_added":1796126405796,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted","name":"Deleted","name_key":"deleted","description":null,"template":"Old","refers_to":"[]","brand_id":0}', '{"namesakes":[]}');
insert into deleted_records (kind, id, name, search_text, brand_id, is_published, created_by_id, date_deleted, deleted_by, record, related) values ('emails', 3, 'Deleted', 'deleted
your order', 0, 1, 1, 1796126409170, 'Admin', '{"id":3,"is_published":1,"date_added":1796126405848,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted\nyour order","name":"Deleted","subject":"Your order","from_address":null,"from_name":null,"reply_to_address":null,"custom_html":"<p>Hello</p>{twigtemplate=1}","plain_text":null,"headers":"{}","is_twig":0,"brand_id":0}', '{"assignments":null}');
insert into deleted_records (kind, id, name, search_text, brand_id, is_published, created_by_id, date_deleted, deleted_by, record, related) values ('contacts', 2, 'deleted@rcpt.test', 'deleted@rcpt.test', 0, 1, 1, 1796126409280, 'Admin', '{"id":2,"is_published":1,"date_added":1796126405884,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted@rcpt.test","email":"deleted@rcpt.test","email_key":"deleted@rcpt.test","identity_key":"0 deleted@rcpt.test","owner_id":null,"points":0,"field_values":"{}","tags":"[]","brand_id":0}', 'null');
insert into roles (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, description, is_admin, permissions) values (1, 1, 1796126400135, NULL, 'Mailyard', NULL, NULL, NULL, 1, 'administrator
all permissions.', 'Administrator', 'All permissions.', 1, '{}');
insert into roles (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, description, is_admin, permissions) values (2, 1, 1796126405489, NULL, 'Admin', 1, NULL, NULL, 1, 'editors', 'Editors', NULL, 0, '{"email":["full"],"contact":["view"]}');
insert into users (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, username, username_key, username_skeleton, email, email_key, first_name, last_name, password_hash, role_id, smtp_mode, brands, networks, valid_until) values (1, 1, 1796126400135, NULL, 'Mailyard', NULL, NULL, NULL, 1, 'admin
admin
admin@localhost', 'admin', 'admin', 'adrnin', 'admin@localhost', 'admin@localhost', 'Admin', '', '$argon2id$v=19$m=8,t=1,p=1$uN8P1ZGeFP0Lby9URehPZQ$5uIWh0JLboxRE6cBxViOx0j5LEdUYWEXnTcCk9plTYk', 1, NULL, '[]', '[]', NULL);
insert into users (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, username, username_key, username_skeleton, email, email_key, first_name, last_name, password_hash, role_id, smtp_mode, brands, networks, valid_until) values (2, 1, 1796126405561, NULL, 'Admin', 1, NULL, NULL, 1, 'ann
miller
ann
ann@example.com', 'ann', 'ann', 'ann', 'ann@example.com', 'ann@example.com', 'Ann', 'Miller', '$argon2id$v=19$m=8,t=1,p=1$kde15vuUK5WBDYFjHghlww$BRUS5HYecLdqetD5eb6LQS/ZOfCpVQwH3JzvsBKxzBw', 2, NULL, '[1]', '[]', NULL);
insert into oauth_clients (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, client_id, secret_hash, redirect_uris, grant_types, role_id, smtp_mode, brand_id, networks, valid_until) values (1, 1, 1796126405643, NULL, 'Admin', 1, NULL, NULL, 1, 'crm', 'CRM', '7d9f2c41a86b4e5f9c0d3a1b5e8f6072', 'ac45baf7268ac9e25cafe5a53afc5d9a3aa518239436dfb51095fce4d1c5b6f8', '[]', '["client_credentials"]', 2, NULL, 0, '[]', NULL);
insert into oauth_tokens (hash, family, client_id, user_id, expires_at, used_at, created_at, kind) values ('775c5c1aa2676202f945c8e1d8b5bfd32e2123efd830163c35b8cfdf98cd8d25', '4dhnIVZ7BVekx4G6dJpIxHnkBMoc9L7jFZ07d_cKy4E', 1, NULL, 1796078689962, NULL, 1796126405677, 'access');
insert into password_links (hash, user_id, expires_at) values ('17dff422d8a439938814227a531bd6a5c6efc270e4d673e5921c2f1bc517c40f', 1, 1796212800180);
insert into brands (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, description, domains, color) values (1, 1, 1796126405180, NULL, 'Admin', 1, NULL, NULL, 1, 'shop
["brand.test"]', 'Shop', NULL, '["brand.test"]', '#15803d');
insert into emails (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, subject, from_address, from_name, reply_to_address, custom_html, plain_text, headers, is_twig, brand_id) values (1, 1, 1796126400142, NULL, 'Mailyard', NULL, NULL, NULL, 1, 'sample email
hello {contactfield=firstname|there}', 'Sample email', 'Hello {contactfield=firstname|there}', NULL, NULL, NULL, '<p>Hello {contactfield=firstname|there},</p><p>this is a sample.</p>', 'Hello {contactfield=firstname|there},

this is a sample.
', '{}', 0, 0);
insert into emails (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, subject, from_address, from_name, reply_to_address, custom_html, plain_text, headers, is_twig, brand_id) values (2, 1, 1796126405834, NULL, 'Admin', 1, NULL, NULL, 1, 'order
your order', 'Order', 'Your order', NULL, NULL, NULL, '<p>Hello</p>{twigtemplate=1}', NULL, '{"X-Shop":"1"}', 0, 1);
insert into contacts (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, email, email_key, identity_key, owner_id, points, field_values, tags, brand_id) values (1, 1, 1796126405856, NULL, 'Admin', 1, NULL, NULL, 1, 'jane
jane@rcpt.test', 'jane@rcpt.test', 'jane@rcpt.test', '1 jane@rcpt.test', 2, 0, '{"firstname":"Jane"}', '["new"]', 1);
insert into transports (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, name_key, description, mailer_dsn, tested_email_from, is_public_only, brand_id) values (1, 1, 1796126405701, NULL, 'Admin', 1, NULL, NULL, 1, 'inbox
shop@brand.test', 'Inbox', 'inbox', NULL, '80560b30.VSxYs3GlFiQVOKbM/2QsxH17F4oi+W2gsNv5fwWkPyHT7ckLFty/s5I=', 'shop@brand.test', 0, 0);
insert into transports (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, name_key, description, mailer_dsn, tested_email_from, is_public_only, brand_id) values (2, 1, 1796126405726, NULL, 'Admin', 1, NULL, NULL, 1, 'postmark', 'Postmark', 'postmark', NULL, '80560b30.Vst83kOkCCmDyaI3Ne0r8cUaQ6YjGPml7oJpcFmOQZh0VV31x9UI7gqGmRZkFLO5FyEC6pJ8+AMU', NULL, 0, 1);
insert into transports (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, name_key, description, mailer_dsn, tested_email_from, is_public_only, brand_id) values (3, 1, 1796126405733, NULL, 'Admin', 1, NULL, NULL, 1, 'closed', 'Closed', 'closed', NULL, '80560b30.Yc2FLiTOCnro5rD6+z1VnCO/HuOqk25drNRcljzYLNIUv5E9BRCrf0xSY4Wq03DvbtmQOpcCAyvTQA==', NULL, 0, 0);
insert into transports (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, name_key, description, mailer_dsn, tested_email_from, is_public_only, brand_id) values (4, 1, 1796126405740, NULL, 'Admin', 1, NULL, NULL, 1, 'open', 'Open', 'open', NULL, '80560b30.2Vpia8N1o16kIpZQ9/kBDrVahfBXHQhH6fphkND9Z+lcKQJidV2SsoA1pWr6EAkO7NM=', NULL, 0, 0);
insert into transport_tests (transport_id, tested_at, tested_by, success, message, duration_ms, stage) values (1, 1796126408915, 'Admin', 1, 'Captured, not sent: /api/inbox/1.', 847, NULL);
insert into twig_templates (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, name_key, description, template, refers_to, brand_id) values (1, 1, 1796126405786, 1796126405807, 'Admin', 1, 'Admin', 1, 2, 'footer', 'Footer', 'footer', NULL, 'Kind regards', '[]', 0);
insert into twig_template_versions (template_id, version, name, description, template, saved_at, saved_by, note) values (1, 1, 'Footer', NULL, 'Regards', 1796126405787, 'Admin', NULL);
insert into twig_template_versions (template_id, version, name, description, template, saved_at, saved_by, note) values (1, 2, 'Footer', NULL, 'Kind regards', 1796126405807, 'Admin', NULL);
insert into deleted_template_versions (kind, template_id, version, name, description, template, saved_at, saved_by, note) values ('twig_templates', 2, 1, 'Deleted', NULL, 'Old', 1796126405796, 'Admin', NULL);
insert into inbox_messages (id, captured_at, sender, recipients, subject, message_id, brand_id, transport_id, transport, size_bytes, key_id, source) values (1, 1796126408881, 'shop@brand.test', '["admin@localhost"]', 'Test message', '<39798cd8-9763-daf6-5cd3-48d14afdd52c@brand.test>', 0, 1, 'Inbox', 367, '80560b30', X'004B746A7E113DA6F5A978B26C4B2BD07BC6B2CEBB6118CD3926EE9E80621F0E1B8CF453E5158EAC2D43C6092E8224626FAE677F8CE0E537EC22F39ECD91D60AA898E746FE38B0D7F5045344D10C178DEA73227BE525750A91A8EA2957E00A6137B8F22FBFBF7EAF1BAB622F827978DA27D64B720A3CCBCF8B8511101C70BB81B2471E1C51E532A47ECBA51546866AAA85C5F6E32C8D735101D29925C826A3DC2047101DBE73B0F6A370B4EA3E87F133AF42D92894152BCEF6BDBCB8D002F6EDC0D5C88AD6BEB0D997B69FAE9D8FF9243ABF8FF7255D95414D3F6C12C89FCFEE0650C07136F107A7A172B6B628748953EB4F094035DA582EE9C957A1BCBB617EAE7324F37F966C39CB6AA3AA63432E2DDD0606D084AD1ED39726B3DEF8240E93D53BC0865BF8813A8E8F1A15F5C843E8AB35AE49880267FEE8EBBA0259D9F5F267DC80C1C5259C974D4DBB61F13B5FBF446D95D3D78F272A20CC91BF4F1E537EC9FAADF18DF7874DC43EB1FF884BF0F58EF88FF61CB62F059E211117DE83E0846CD26ABCD0FF692A7B39F0');
insert into inbox_messages (id, captured_at, sender, recipients, subject, message_id, brand_id, transport_id, transport, size_bytes, key_id, source) values (2, 1796126411316, 'mailyard@localhost', '["jane@rcpt.test"]', 'Your order', '<e438f5e6-4cac-452e-b459-f3cc37964060@localhost>', 1, 1, 'Inbox', 792, '80560b30', X'29FF975DF9C95114EAF28D0D8E31C3DA4B3A9F646C9FAD2889954DD3519B617172143050D4FCEF5855C6DEE725B59941DB1F3664BAA07F512D3C6EF785AAECBAF56265F323A00BC265339FAC51108F31891F38133E1EE367FA6449961D95E86149B55938966E95C88324BE9AB472C690F6070AA2C1FA0E06B24EA2E07FCE8E945742369FCEF42F6789AB990227F2A838B1A2F089FA49D4EC255486BEDD62A3A9B62DEEDEFF13CD9A14486C302FD0C85BF597F6200DDB510D074A9E99791771DCCB4F3A11A15797FC64BA327999823E9E7F761892E38D9F66045A53924FBAA57DDF8E1CF5D857A4B474032DEAFC047346981B4E51E8B5775A2E36E0E504C8F8B0BB598F0F4D7C144E0EFC1C6D22724AC092A2A38DEDA5E2D2BFB3279D59A5549C44EF7923229D96A0E708BE012CB674934077034376104D7D936E8BCC7D37334F6320FA540B1FD0CBB1399A13BA67F7840D1157FE0A03D375F40C99B97C50F7BD5366EB6281845899F85311032C93540DEFA0E981C2835E30FBBDBD33EC7678B9E02D028E194EC3A2F96EEFACEAA86559EE876620E5A17F1CCEF0D61256D36E08C699C6CDF35087BBFB0A92AD8B9EA17D09D2D509DE289310C5982AF8969CEBA7B41294AECBEF8638D41296B1A0431221608C43C639443FD63F98237409C3B580620E4B921B167760E9C087FB9EE7F9BE3D51FF6EB229A4E0E28AF536C4EA23E9F4EC3EB62E516B796C71FCB11C9292D52FA94DC35A48563AC6FC9378B4690B876953F536F0D3947E3DCD2B9916F5C18F87C698556B0241FA33372518BFAC305DACDD19D38153EA55D79788D98A056EE9A8D26443052EAA82621583F964186D31216CE7D686EF006582B41A4578CB31974E90019B536B6D11E8AEB6A498BF0D84673D08993165590671392F1F6AB2414CC3EBD24BC63AAF639E80EC1055DF39CAC8EEE77170E870FA7A9FC0D47B0AFD17A86F45828AB913CD0D43C86DF416BA0F6CFF8C4B1BE6CF3728E386F87043F487AB57A7969AD24279025638EAC245C98D7E68E0F2520E69E83EB33050F80D2283BB8D9DCA2F4DD5AD27045F605BD613D7E7503B486446004643E093CBB3ADF90D023C80AA5A37B4C9B6DEF6F23EF3D0C96099F301CB7FAD48D3CA47678A701DD1873DD1B6');
insert into mautics (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, url, client_id, secret, username, transport_id, smtp_mode, hosts, role_map, is_reporting, smtp_login, smtp_password_hash, webhook_secret, is_tagging, brand_id, networks, valid_until) values (1, 1, 1796126409476, NULL, 'Admin', 1, NULL, NULL, 1, 'shop
http://127.0.0.1:14233', 'shop', 'http://127.0.0.1:14233', '1_labrandomid', '80560b30.NMO/a1L9vIrG8TlpSNNgncO5ytazERgJoCCd4vpn5Zk3rO1IZg==', NULL, 3, 'queue', '[]', '{}', 1, '4696833cc0ef473bcf4275e43a926d59', 'f017aa8073ac8bee08dc7e127301055b272325dade6391d9f2daeb42147b29c8', NULL, 0, 1, '[]', NULL);
insert into mautic_states (mautic_id, id, state, attempts, due_at, created_at, problem, is_reinstalled, polled_at, synchronized_at, problem_since) values (1, 1, 'queued', 2, 1796126471265, 0, NULL, 0, 1796075095534, 1796075095534, NULL);
insert into mautic_emails (mautic_id, id, name, subject, subject_key, search_text, is_published, date_added, date_modified, send_to_dnc) values (1, 1, 'Newsletter 1', 'News 1 for {contactfield=firstname}', '79c6b13660a43ae0300f53d59ebbd21ab55e097d65a459c3b47fb0343ee379c1', 'newsletter 1
news 1 for {contactfield=firstname}', 1, 1795355972000, 1795355972000, NULL);
insert into mautic_emails (mautic_id, id, name, subject, subject_key, search_text, is_published, date_added, date_modified, send_to_dnc) values (1, 2, 'Newsletter 2', 'News 2 for {contactfield=firstname}', '66ee99fe0af8745735fa0320ebe346a6f0cddc2f87dae5f213df2553fa896431', 'newsletter 2
news 2 for {contactfield=firstname}', 1, 1795355972000, 1795355972000, NULL);
insert into mautic_users (mautic_id, id, username, email, email_key, first_name, last_name, search_text, is_published, date_added, date_modified) values (1, 1, 'admin', 'admin@example.test', 'admin@example.test', 'Ada', 'Admin', 'ada
admin
admin
admin@example.test', 1, 1795355950000, NULL);
insert into mautic_users (mautic_id, id, username, email, email_key, first_name, last_name, search_text, is_published, date_added, date_modified) values (1, 2, 'user2', 'owner2@lab.test', 'owner2@lab.test', 'Bea', 'Owner2', 'bea
owner2
user2
owner2@lab.test', 1, 1795355950000, NULL);
insert into mautic_lists (mautic_id, seq, address_after, held, applied_brand, applied_to, after_id, started_at, read_at) values (1, 0, 0, 0, 0, 0, NULL, 1796075095361, 1796075095361);
insert into email_transports (transport_id, use_owner_transport, deleted_transport_id, email_id) values (1, 0, NULL, 2);
insert into user_transports (transport_id, user_id) values (1, 2);
insert into limits (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, description, transports, per_second, per_minute, per_hour, per_day, per_month, connections_max, warm_up, overflow, brand_id) values (1, 1, 1796126405911, NULL, 'Admin', 1, NULL, NULL, 1, 'daily', 'Daily', NULL, '[4]', NULL, NULL, NULL, 1000, NULL, NULL, NULL, 'queue', 0);
insert into limit_usage (key, state) values ('limit:1', '{"second":{"holders":[],"resting":[]},"windows":{"day":{"start":1795996800000,"used":1}}}');
insert into suppressions (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, address, address_key, sender_domain, identity_key, reason, source, transport_id, delivery_id, brand_id) values (1, 1, 1796126406499, NULL, 'Admin', 1, NULL, NULL, 1, 'carla@rcpt.test', 'carla@rcpt.test', 'carla@rcpt.test', NULL, '@1 carla@rcpt.test', 'complained', NULL, NULL, NULL, 1);
insert into deliveries (id, started_at, duration_ms, source, caller, email_id, contact_id, sender, recipient, recipient_key, transport_id, transport, member, outcome, reply, reason, message_id, provider_id, process_id, trace, request_hash, mautic_id, is_bounced, subject, event, is_bulk, class, brand_id) values (1, 1796126411292, 29, 'api', 'Admin', 2, 1, 'mailyard@localhost', 'jane@rcpt.test', 'jane@rcpt.test', 1, 'Inbox', 'inbox://local', 'accepted', '250 Captured, not sent: /api/inbox/2', NULL, '<e438f5e6-4cac-452e-b459-f3cc37964060@localhost>', '2', '8a4e051d-10f6-47a8-b97c-9f1c70efeb1e', '[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to the email"}]', NULL, 0, 0, 'Your order', 'delivered', 0, NULL, 1);
insert into deliveries (id, started_at, duration_ms, source, caller, email_id, contact_id, sender, recipient, recipient_key, transport_id, transport, member, outcome, reply, reason, message_id, provider_id, process_id, trace, request_hash, mautic_id, is_bounced, subject, event, is_bulk, class, brand_id) values (2, 1796126411369, 6, 'smtp', 'Brand Admin', NULL, NULL, 'news@brand.test', 'queued@rcpt.test', 'queued@rcpt.test', 3, 'Closed', 'smtp://127.0.0.1:1', 'deferred', NULL, 'Nothing answers at 127.0.0.1:1 (connection refused).', '<queued@rcpt.test>', NULL, '8a4e051d-10f6-47a8-b97c-9f1c70efeb1e', '[{"source":"named","transport":{"id":3,"name":"Closed"},"outcome":"taken","reason":"the message names it"}]', NULL, 0, 0, NULL, NULL, 0, NULL, 0);
insert into deliveries (id, started_at, duration_ms, source, caller, email_id, contact_id, sender, recipient, recipient_key, transport_id, transport, member, outcome, reply, reason, message_id, provider_id, process_id, trace, request_hash, mautic_id, is_bounced, subject, event, is_bulk, class, brand_id) values (3, 1796126411370, 130, 'smtp', 'Brand Admin', NULL, NULL, 'news@brand.test', 'uncertain@rcpt.test', 'uncertain@rcpt.test', 4, 'Open', 'smtp://127.0.0.1:34911', 'uncertain', NULL, '127.0.0.1:34911 closed the connection before it replied to the end of the message; the message may have arrived.', '<uncertain@rcpt.test>', NULL, '8a4e051d-10f6-47a8-b97c-9f1c70efeb1e', '[{"source":"named","transport":{"id":4,"name":"Open"},"outcome":"taken","reason":"the message names it"}]', NULL, 0, 0, NULL, NULL, 0, NULL, 0);
insert into deliveries (id, started_at, duration_ms, source, caller, email_id, contact_id, sender, recipient, recipient_key, transport_id, transport, member, outcome, reply, reason, message_id, provider_id, process_id, trace, request_hash, mautic_id, is_bounced, subject, event, is_bulk, class, brand_id) values (4, 1796126411386, 4, 'smtp', 'Brand Admin', NULL, NULL, 'news@brand.test', 'held@rcpt.test', 'held@rcpt.test', 3, 'Closed', 'smtp://127.0.0.1:1', 'deferred', NULL, 'Nothing answers at 127.0.0.1:1 (connection refused).', '<held@rcpt.test>', NULL, '8a4e051d-10f6-47a8-b97c-9f1c70efeb1e', '[{"source":"named","transport":{"id":3,"name":"Closed"},"outcome":"taken","reason":"the message names it"}]', NULL, 0, 0, NULL, NULL, 0, NULL, 0);
insert into delivery_events (id, delivery_id, started_at, transport_id, type, class, at, received_at, reason, provider, source, is_guess, is_first, event_key) values (1, 1, 1796126411292, 1, 'delivered', NULL, 1796126411292, 1796126411292, NULL, 'mail', 'webhook', 0, 1, 'delivered');
insert into delivery_keys (key, kind, delivery_id, started_at, acknowledged_at) values ('06bf36ad-44dd-47fb-8850-8b4a0e2ed76d', 'message', 1, 1796126411292, NULL);
insert into delivery_keys (key, kind, delivery_id, started_at, acknowledged_at) values ('1Su37ZUOiSc3ePOql4JZwHgoUyFeR6bDZGA+coaNzvQ=', 'message', 3, 1796126411370, NULL);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 60000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 60000, 1796126400000, 'smtp', 'deferred', 2);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 60000, 1796126400000, 'smtp', 'uncertain', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 3600000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 3600000, 1796126400000, 'smtp', 'deferred', 2);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 0, 3600000, 1796126400000, 'smtp', 'uncertain', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 1, 60000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (-2, 1, 3600000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (1, 0, 60000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (1, 0, 3600000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (1, 1, 60000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (1, 1, 3600000, 1796126400000, 'api', 'accepted', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (3, 0, 60000, 1796126400000, 'smtp', 'deferred', 2);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (3, 0, 3600000, 1796126400000, 'smtp', 'deferred', 2);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (4, 0, 60000, 1796126400000, 'smtp', 'uncertain', 1);
insert into delivery_counts (transport_id, brand_id, span_ms, started_at, source, outcome, count) values (4, 0, 3600000, 1796126400000, 'smtp', 'uncertain', 1);
insert into queue_messages (id, created_at, expires_at, lane, caller, submitter, sender, message_id, subject, mautic_id, email_id, contact_id, rendered, size_bytes, key_id, body) values (1, 1796126411346, 1796212811346, 'transactional', 'Brand Admin', '{"key":"client 1","name":"Brand Admin","brand":null,"canViewTemplates":true,"canViewContacts":true}', 'news@brand.test', '<uncertain@rcpt.test>', NULL, 0, NULL, NULL, NULL, 93, '80560b30', X'3630165A79522C94A52A3056F0DD940D3590124C66CF2CCDBAE7A4FFE269988838CA3BD01D3FD6CED58D9DA52AC0B1D4D280C4C8235BF1B68141EE1A34D736C7790821FCEE35F9A8BE1DA550C3A8DBE58E7E816B1BD05E44FC44A611BD7A43EA88DBADA87E9B9DDBBC7ED3B1C7C5A25E80F31A93808683EDAF');
insert into queue_messages (id, created_at, expires_at, lane, caller, submitter, sender, message_id, subject, mautic_id, email_id, contact_id, rendered, size_bytes, key_id, body) values (2, 1796126411358, 1796212811358, 'transactional', 'Brand Admin', '{"key":"client 1","name":"Brand Admin","brand":null,"canViewTemplates":true,"canViewContacts":true}', 'news@brand.test', '<queued@rcpt.test>', NULL, 0, NULL, NULL, NULL, 92, '80560b30', X'F8752EED3F3B35D87E7C4B47EF0094ED437C582AA36EDE97D15B559D1103970300CE999476579702118070D9FCEAB675AFFD5FABCE551CDDE40D982BDF17362D80AE363304FF5A7EA68DA112A8297F70200764D9BED7B803E77D63BDB6F4608B883BDBF18401D95E955FCD52C05A8D1C359C44C5706320D7');
insert into queue_messages (id, created_at, expires_at, lane, caller, submitter, sender, message_id, subject, mautic_id, email_id, contact_id, rendered, size_bytes, key_id, body) values (3, 1796126411366, 1796212811366, 'transactional', 'Brand Admin', '{"key":"client 1","name":"Brand Admin","brand":null,"canViewTemplates":true,"canViewContacts":true}', 'news@brand.test', '<held@rcpt.test>', NULL, 0, NULL, NULL, NULL, 90, '80560b30', X'0030E384755F35CC397236244B5E6EE7FE47AFD8679A26297DAEABA6D408813D49CA00CF5229682AA027104A5921D5E4C62418EB9C793C6483537EB0C5A59BAEB9677DFB02ABBE4EB4910FE97DBC331957D9DE3B2DEC5FE0FF22A04FDAE2021D5E6EF966832CEBE5F6E24612C4EF71149F49E0706C07');
insert into queue_recipients (id, message_id, address, address_key, state, lane, transport_id, due_at, created_at, attempts, claimed_by, problem, message_key, bulk_key, brake_id, waits_for, decided_by, brand_id) values (1, 1, 'uncertain@rcpt.test', 'uncertain@rcpt.test', 'uncertain', 'transactional', 4, 1796212811346, 1796126411346, 1, NULL, '451 4.4.2 127.0.0.1:34911 closed the connection before it replied to the end of the message; the message may have arrived.', '1Su37ZUOiSc3ePOql4JZwHgoUyFeR6bDZGA+coaNzvQ=', NULL, NULL, NULL, NULL, 0);
insert into queue_recipients (id, message_id, address, address_key, state, lane, transport_id, due_at, created_at, attempts, claimed_by, problem, message_key, bulk_key, brake_id, waits_for, decided_by, brand_id) values (2, 2, 'queued@rcpt.test', 'queued@rcpt.test', 'queued', 'transactional', 3, 1796126438837, 1796126411358, 1, NULL, '451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).', 'Jc53je7LspHH2yb81PSWXB10xdNkzfEefPcmSLB1vgw=', NULL, NULL, 3, NULL, 0);
insert into queue_recipients (id, message_id, address, address_key, state, lane, transport_id, due_at, created_at, attempts, claimed_by, problem, message_key, bulk_key, brake_id, waits_for, decided_by, brand_id) values (3, 3, 'held@rcpt.test', 'held@rcpt.test', 'held', 'transactional', 3, 1796126436456, 1796126411366, 1, NULL, '451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).', 'rug3t8ZMegfqE2KNk5roUfYkn3cDwDCzqCnisqNjb7o=', NULL, NULL, 3, NULL, 0);
insert into queue_size (bytes) values (275);
insert into webhooks (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, name, events, format, url, secret, old_secret, old_secret_until, brand_id) values (1, 1, 1796126406424, NULL, 'Admin', 1, NULL, NULL, 1, 'shop
127.0.0.1:1', 'Shop', '["suppression.created","brake.applied"]', 'standard', '80560b30.kFbgjbbcKZr/NJM1TK6GWCRrlFuIANv03Kxm0HE+U0BC6HJbqCt3i4CC+PxiNG/PHWooWds=', '80560b30.SbtPaEPYaHAJV82nNuf+RyH4231rXkalZVEhOMJIVYI8V47b02NuQ3M9QJMMEkPYUDkC6mKHlbCELWsFf5D/TvhgK7Ptu+6b2BlIKGvi', NULL, NULL, 0);
insert into webhook_states (webhook_id, last_success_at, failing_since, dead_at, problem) values (1, NULL, 1796126407761, NULL, 'Nothing answers at 127.0.0.1:1 (connection refused). Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.');
insert into webhook_messages (id, webhook_id, message_id, type, brand_id, cause, events, body, state, attempts, due_at, created_at, problem) values (1, 1, 'msg_f9996d065f884026b7415cf0f794df3e', 'suppression.created', 1, 'complained', 1, '{"type":"suppression.created","timestamp":"2026-12-01T12:00:06+00:00","data":{"brand":1,"address":"carla@rcpt.test","reason":"complained","senderDomain":null,"source":null}}', 'queued', 1, 1796126414220, 1796126406505, 'Nothing answers at 127.0.0.1:1 (connection refused). Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.');
insert into transport_webhooks (transport_id, provider, secret, signing_key, pinned, created_at, last_event_at, problem, problem_at, delivered, deferred, bounced, complained, unsubscribed, rejected, ignored, unknown, refused) values (2, 'postmark', '80560b30.jJr3Q8CuAFMwv/zB6Vvn0nPGG1iiChrZrghORnbycKm6Pe+DpNsD3GwMeGBrfeshSixbvvRD/vajXODc', NULL, NULL, 1796126407686, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0);
insert into sender_uses (domain, transport_id, brand_id, last_used_at, other_envelope, other_envelope_at) values ('localhost', 1, 1, 1796126411337, NULL, NULL);
insert into sender_uses (domain, transport_id, brand_id, last_used_at, other_envelope, other_envelope_at) values ('brand.test', 3, 0, 1796126411393, NULL, NULL);
insert into sender_uses (domain, transport_id, brand_id, last_used_at, other_envelope, other_envelope_at) values ('brand.test', 4, 0, 1796126411519, NULL, NULL);
insert into sender_checks (domain, transport_id, brand_id, verdict, sentence, missing, members, dmarc, policy, checked_at) values ('brand.test', 1, 0, 'cannotTell', 'Messages are captured, not sent, so no receiver checks them.', 'null', '[{"member":"inbox://local","provider":null,"verdict":"cannotTell","sentence":"Messages are captured, not sent, so no receiver checks them.","missing":null}]', '{"state":"failed","record":null,"foundAt":null,"organizationalDomain":null,"policy":null,"adkim":null,"aspf":null,"problems":["The DNS server did not answer for _dmarc.brand.test (ECONNREFUSED)."]}', NULL, 1796126411649);
insert into sender_checks (domain, transport_id, brand_id, verdict, sentence, missing, members, dmarc, policy, checked_at) values ('localhost', 1, 1, 'cannotTell', 'Messages are captured, not sent, so no receiver checks them.', 'null', '[{"member":"inbox://local","provider":null,"verdict":"cannotTell","sentence":"Messages are captured, not sent, so no receiver checks them.","missing":null}]', '{"state":"failed","record":null,"foundAt":null,"organizationalDomain":null,"policy":null,"adkim":null,"aspf":null,"problems":["The DNS server did not answer for _dmarc.localhost (ECONNREFUSED)."]}', NULL, 1796126411651);
insert into dkim_keys (id, is_published, date_added, date_modified, created_by, created_by_id, modified_by, modified_by_id, revision, search_text, domain, algorithm, selector, private_key, public_key, active_at, absent_since, problem, checked_at, brand_id) values (1, 1, 1796126406258, NULL, 'Admin', 1, NULL, NULL, 1, 'brand.test
mailyard-202612', 'brand.test', 'rsa', 'mailyard-202612', '80560b30.aSFNeGYgYrZshegxC4HWanhrSsM6SSnsUsVtXfCcsi9ns0eN6gszdykdZDzdyX7s6dDCzfPvP1N6fd0wZJlU0FHST2ZceAw2cXLNa856ffycFyuVBX8U2TRBZD4riZPQY3qfR7GPuqDQSqWAHWCmL3SS7G5Z1KxZFPslNVLd2T7eznG/dtQl8CFf8lhixO2x7+S53u4da/w/kaCjnvzRz0mhOW8GfI+EZJakSK4442jqi4RUv+o8sjyPge/+PSaJc0AHlCYecuRM+ZByEEVaJrBX81M/UYwINyYulGbThpD4pSI2D6nUUyswuTCFDEmiHI3b6oEuwvX11ZWs20uYM3UJo0HfuTOSRQP2AWlfkdJdlG/cVv7G8tlVS5IXIaTr+CTBRiSX7J5dA8yLEF8vRfm2lncz1J6K+93YbQS3gbvFmaNevEkt3sfGyyZXy+5ivfqLwzXHCkY3vkzOKTD85XlD17y8ZDbYP+zpUjADH33PwbUrL/FW2OlRVKGhjDzFLvc/ffhURy8hR64Oig5ks2vfd1P9r2Ft7p0ZGe7c3ehSDL87qLgGifoqUOl/IsXsN0AwAQ/WYX8OOZB7vMU6NrJUBLIhklxE/Qu3o80W0EpA0DUdcUN8nwW1BJ26qNIji6DC4gy2UMwdBB7cXc4ErmtoESVEf3t42XrdfHQajZbExBcHo8t1ji/Z2P34EBrsrmk0Y+iA5PsBRHHBkKXdDn6AzZPsxDeJTU6K+D0o+o0/7YQ5kKnDXZql/Q+3lRmkpT6tayJMcfX5EPpGnhXiJCEW7SxKdwRgrJCLi0wez0eAgU61UlNCjrYK3g+VXfkQT3zy4Aaav0QFnWB6SIk3EZUa4EhfUr8QAJ7BrG9poejT7PNay86leycH440T0IodG4fOIIhl/SJ+Un+WJqld+U/5qDvg7wfICJtPAUYQnW3kc/wxYkuDU6XL7uCiT7aeyavenYsE5q/G35iEddQGirAphnRWH8k+v7pjbYWx/e1l8+SL+g96UT4wk9Kd9Yr+VFYmHwFUb9PUmfTOifEx6jMDKAuG8O5BeV90HI1c1HpgoMH7Vo4RSWrqZo1nBPcz+PhhU8dJExA6OJdhA4N7SRkW9hswR1ct15XpxcjFhHMx3lbyal3AK2GFhWX3JbiFEb/LZMJ5Dux8t7OBWqs+X98oG95qrdfmT5KxSi3Cx7EmphQyzMG3toZeJ68mKIF8Je1cjFPtdglsrjlvST8AnzLxWgyG1XbzxbNpCYZQWJMhnq3NvNqJPvPpuzZI46kgAIgZrfW6hzzAat2z00mAuNSxT/3eW0xlSaM3zWxZH1yRfTj1n3CpO1YAPP3SDR5XNepKq4fUubnOU2J7idpJ/AQPmvYWaTH88QbIMYR7bYYYVlSeKXBlEZEhSqikFEaymOlazrvKsFL0GIU4TOknwm5pGpV555zXNNOr9S9QusakuDTlH9GYTw3Z6s/dPtDaWmX56zYezsNhTNRUo5BzQf3KqHYSGVwbPHhflgT7R15EFkh2H0r2RDSWYO3IPLT5RvBRKiEbeLDWDazVojrhONMZsPq504mZRbRlw6VcDGNpLaEhaaKpPfMFMXaAgn5ZtK/0JzYxLGGomIRPRuWpmMzHfacaRa+i49x7FByvvTcEF/EGs81bfX35KP/kZ2C4tYZO673ko7zXkKw0EdfsPC3FCaSDhQiSl8PDRE54rH99Wx/kzQl+fzWVjpNeMMDcH/doS3vrJRiqXwTXutW2K9n6UzFrN3tHwXzeJHWZKBBy48X4TAjZiyk+nFb0OaoJu7p3w/XdDRVcwxQknOHmpmXLIvME7utormU2SRZFgYJTN9GvLO+jgZ1aqO0H548FivHbz0gcDJqSOxEj2ODBEymNZqJpq0YiaT+r0IS/h9EjanuSAIGQ89w3eVX4Ljv6fUFGsiflj0DVN08yoVfFBXqDVwKIgnGIAOlMpIWa3vLoMdCIMze8w1wFEjjLHRVikETARn69HSalaJAOWPfcuj4zSHdaUQnbZPcX3p5x6kj3etYMaB0x2/PdJRMFgJjLFFaThc5Y0AxfjW2K8XnkeG3ZhPhqrNv61kuL093HNzhVKRqt3bYOLcmvmLkLXKfsqNHvVttFx86dWKsTTchgYjSU+HftHw/d5+tDNy0FAfABD4U6+0ZXIoDTn63Dx8q7zUWOtQCOi+x49+abSEtEuUS/pX+uS2wAz5JIuoZgPOi+qZ+dDuuElvdKkYjQu+9GMa1ZuM4XW+q4x3EuviK//edYwnE3qt/cVlWIFc5IFicyPut1UbL4c5+yO9GUSTuNkhD6WQ==', 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvkgwYeCxAHSWN+8JI0jCEuNS3baGlKvmFLPN7FOYvbzaGzfNyZWIQ1d1wdo/i/L+Ewj3No0/CNMk9X105Of9jVBTxkXV7xWpcqR7HhZ2ydfg4SiXgrpNhcNC0jFYwqmN39iY9Y6NKNqCeqbbfUSh7YtHN4rmhEbuOb/vVXfR4l/7H8n2vHMc/pTqo1VXY0MR/cG9ljQo3HtHMXwhaGFmYxELJ8CP/aKKqjIqpzisc4Xkm/6TVIaVqxyxuaCx8eCKgw2BQ+XnwA5Qb8QqCIrMpr4bSXOqCXBsY8mpckvTSUbzB6Pj4HaJMcu46LsBDrPz185Z1QrYIEdTeIOfMTQidwIDAQAB', NULL, NULL, NULL, NULL, 1);
insert into sqlite_sequence (name, seq) values ('roles', 2);
insert into sqlite_sequence (name, seq) values ('users', 2);
insert into sqlite_sequence (name, seq) values ('emails', 3);
insert into sqlite_sequence (name, seq) values ('brands', 1);
insert into sqlite_sequence (name, seq) values ('oauth_clients', 1);
insert into sqlite_sequence (name, seq) values ('transports', 5);
insert into sqlite_sequence (name, seq) values ('twig_templates', 2);
insert into sqlite_sequence (name, seq) values ('contacts', 2);
insert into sqlite_sequence (name, seq) values ('limits', 1);
insert into sqlite_sequence (name, seq) values ('dkim_keys', 1);
insert into sqlite_sequence (name, seq) values ('webhooks', 1);
insert into sqlite_sequence (name, seq) values ('suppressions', 1);
insert into sqlite_sequence (name, seq) values ('webhook_messages', 1);
insert into sqlite_sequence (name, seq) values ('inbox_messages', 2);
insert into sqlite_sequence (name, seq) values ('mautics', 1);
insert into sqlite_sequence (name, seq) values ('deliveries', 4);
insert into sqlite_sequence (name, seq) values ('queue_messages', 3);
insert into sqlite_sequence (name, seq) values ('queue_recipients', 3);
insert into sqlite_sequence (name, seq) values ('delivery_events', 1);
CREATE INDEX "deleted_records_of_kind" on "deleted_records" ("kind", "date_deleted", "id");
CREATE INDEX "deleted_records_by_date" on "deleted_records" ("date_deleted");
CREATE INDEX "users_role_id" on "users" ("role_id");
CREATE INDEX "users_username_skeleton" on "users" ("username_skeleton");
CREATE INDEX "oauth_tokens_family" on "oauth_tokens" ("family");
CREATE INDEX "oauth_tokens_client_id" on "oauth_tokens" ("client_id");
CREATE INDEX "oauth_tokens_user_id" on "oauth_tokens" ("user_id");
CREATE INDEX "oauth_tokens_expires_at" on "oauth_tokens" ("expires_at");
CREATE INDEX "oauth_codes_family" on "oauth_codes" ("family");
CREATE INDEX "oauth_codes_client_id" on "oauth_codes" ("client_id");
CREATE INDEX "oauth_codes_user_id" on "oauth_codes" ("user_id");
CREATE INDEX "oauth_codes_expires_at" on "oauth_codes" ("expires_at");
CREATE INDEX "login_sessions_user_id" on "login_sessions" ("user_id");
CREATE INDEX "password_links_user_id" on "password_links" ("user_id");
CREATE INDEX "console_sessions_user_id" on "console_sessions" ("user_id");
CREATE INDEX emails_naming_transport on emails (id)
      where lower(headers) like '%x-mailyard-transport%';
CREATE INDEX "emails_brand_id" on "emails" (brand_id, id)
    where brand_id <> 0;
CREATE UNIQUE INDEX "contacts_identity_key" on "contacts" ("identity_key");
CREATE INDEX "contacts_email_key" on "contacts" ("email_key");
CREATE INDEX "contacts_owner_id" on "contacts" ("owner_id");
CREATE INDEX "contacts_brand_id" on "contacts" (brand_id, id)
    where brand_id <> 0;
CREATE INDEX "transports_name_key_id" on "transports" ("name_key", "id");
CREATE INDEX transports_name_order on transports (lower(coalesce(name, '')), id);
CREATE INDEX "refresh_tokens_rotated_at" on "refresh_tokens" ("rotated_at");
CREATE INDEX "twig_templates_names" on "twig_templates" ("name_key", "brand_id", "is_published", "id");
CREATE INDEX "inbox_messages_size" on "inbox_messages" ("id", "captured_at", "size_bytes");
CREATE INDEX "inbox_messages_brand_id" on "inbox_messages" (brand_id, id)
    where brand_id <> 0;
CREATE INDEX "mautic_emails_mautic_id_date_modified" on "mautic_emails" ("mautic_id", "date_modified");
CREATE INDEX "mautic_emails_mautic_id_date_added" on "mautic_emails" ("mautic_id", "date_added");
CREATE INDEX "mautic_emails_mautic_id_subject_key" on "mautic_emails" ("mautic_id", "subject_key");
CREATE INDEX "mautic_users_mautic_id_email_key" on "mautic_users" ("mautic_id", "email_key");
CREATE INDEX "mautic_sends_created_at" on "mautic_sends" ("created_at");
CREATE INDEX "mautic_events_created_at" on "mautic_events" ("created_at");
CREATE INDEX "mautic_reports_mautic_id_state_due_at" on "mautic_reports" ("mautic_id", "state", "due_at");
CREATE INDEX "mautic_reports_state_due_at" on "mautic_reports" ("state", "due_at");
CREATE INDEX "mautic_list_entries_mautic_id_address_key" on "mautic_list_entries" ("mautic_id", "address_key");
CREATE INDEX "mautic_list_entries_mautic_id_seq" on "mautic_list_entries" ("mautic_id", "seq");
CREATE INDEX mautic_list_entries_missing on mautic_list_entries (mautic_id)
      where missing_since is not null;
CREATE INDEX "email_transports_transport_id" on "email_transports" ("transport_id");
CREATE INDEX "email_transports_deleted_transport_id" on "email_transports" ("deleted_transport_id");
CREATE INDEX "user_transports_transport_id" on "user_transports" ("transport_id");
CREATE INDEX "mautic_email_transports_transport_id" on "mautic_email_transports" ("transport_id");
CREATE INDEX "mautic_email_transports_deleted_transport_id" on "mautic_email_transports" ("deleted_transport_id");
CREATE INDEX "mautic_user_transports_transport_id" on "mautic_user_transports" ("transport_id");
CREATE UNIQUE INDEX "suppressions_identity_key" on "suppressions" ("identity_key");
CREATE INDEX "suppressions_address_key" on "suppressions" ("address_key");
CREATE INDEX "suppressions_transport_id" on suppressions ("transport_id")
      where "transport_id" is not null;
CREATE INDEX "suppressions_brand_id" on "suppressions" (brand_id, id)
    where brand_id <> 0;
CREATE INDEX "deliveries_member"
    on deliveries ("member", started_at) where member is not null;
CREATE INDEX "deliveries_event"
    on deliveries ("event", started_at) where event is not null;
CREATE INDEX "deliveries_contact_id"
    on deliveries ("mautic_id", "contact_id", started_at) where contact_id is not null;
CREATE INDEX "deliveries_email_id"
    on deliveries ("mautic_id", "email_id", started_at) where email_id is not null;
CREATE INDEX "deliveries_mautic_id"
    on deliveries ("mautic_id", started_at) where mautic_id <> 0;
CREATE INDEX "deliveries_brand_id"
    on deliveries ("brand_id", started_at) where brand_id <> 0;
CREATE INDEX "deliveries_transport_id"
    on deliveries ("transport_id", started_at);
CREATE INDEX "deliveries_recipient_key"
    on deliveries ("recipient_key", started_at);
CREATE INDEX "deliveries_source"
    on deliveries ("source", started_at);
CREATE INDEX "deliveries_outcome"
    on deliveries ("outcome", started_at) where outcome = 'deferred' or outcome = 'refused' or outcome = 'uncertain' or outcome = 'suppressed' or outcome = 'expired' or outcome = 'cancelled' or outcome = 'started';
CREATE INDEX "deliveries_refusals"
    on deliveries ("mautic_id", started_at) where mautic_id <> 0 and not is_bounced
  and outcome in ('refused', 'uncertain', 'suppressed', 'expired', 'cancelled');
CREATE INDEX deliveries_time on deliveries (started_at, id);
CREATE UNIQUE INDEX delivery_events_once
    on delivery_events (delivery_id, started_at, event_key);
CREATE INDEX "delivery_keys_delivery" on "delivery_keys" ("kind", "started_at", "delivery_id");
CREATE INDEX delivery_keys_acknowledged_at on delivery_keys (acknowledged_at)
    where acknowledged_at is not null;
CREATE INDEX delivery_counts_transports
    on delivery_counts (brand_id, outcome, started_at, transport_id)
    where span_ms = 3600000;
CREATE INDEX delivery_counts_empty on delivery_counts (started_at) where count = 0;
CREATE TRIGGER deliveries_count_1 after insert on deliveries for each row
        when (new.outcome <> 'started') begin insert into delivery_count_changes (started_at, transport_id, source, outcome, brand_id, change) values (new.started_at - new.started_at % 60000,
    new.transport_id, new.source, new.outcome, new.brand_id, 1); end;
CREATE TRIGGER deliveries_count_2 after delete on deliveries for each row
        when (old.outcome <> 'started') begin insert into delivery_count_changes (started_at, transport_id, source, outcome, brand_id, change) values (old.started_at - old.started_at % 60000,
    old.transport_id, old.source, old.outcome, old.brand_id, -1); end;
CREATE TRIGGER deliveries_count_3 after update of outcome on deliveries for each row
        when (old.outcome <> new.outcome and new.outcome <> 'started') begin insert into delivery_count_changes (started_at, transport_id, source, outcome, brand_id, change) values (new.started_at - new.started_at % 60000,
    new.transport_id, new.source, new.outcome, new.brand_id, 1); end;
CREATE TRIGGER deliveries_count_4 after update of outcome on deliveries for each row
        when (old.outcome <> new.outcome and old.outcome <> 'started') begin insert into delivery_count_changes (started_at, transport_id, source, outcome, brand_id, change) values (old.started_at - old.started_at % 60000,
    old.transport_id, old.source, old.outcome, old.brand_id, -1); end;
CREATE INDEX "queue_recipients_due" on "queue_recipients" ("state", "transport_id", "lane", "due_at");
CREATE INDEX "queue_recipients_message_id" on "queue_recipients" ("message_id");
CREATE INDEX "queue_recipients_address_key" on "queue_recipients" ("address_key");
CREATE INDEX queue_recipients_claimed_by on queue_recipients (claimed_by)
    where claimed_by is not null;
CREATE INDEX queue_recipients_brake_id on queue_recipients (brake_id)
    where brake_id is not null;
CREATE INDEX queue_recipients_waits_for on queue_recipients (waits_for, id)
    where waits_for is not null;
CREATE INDEX "queue_recipients_brand_id" on "queue_recipients" (brand_id, id)
    where brand_id <> 0;
CREATE TRIGGER queue_messages_added after insert on queue_messages for each row
    begin update queue_size set bytes = bytes + new.size_bytes; end;
CREATE TRIGGER queue_messages_removed after delete on queue_messages for each row
    begin update queue_size set bytes = bytes - old.size_bytes; end;
CREATE INDEX "queue_notices_message_id" on "queue_notices" ("message_id");
CREATE INDEX "webhook_messages_webhook_id_id" on "webhook_messages" ("webhook_id", "id");
CREATE INDEX "webhook_messages_webhook_id_state_due_at_id" on "webhook_messages" ("webhook_id", "state", "due_at", "id");
CREATE INDEX "webhook_messages_state_due_at" on "webhook_messages" ("state", "due_at");
CREATE INDEX "received_events_of_transport" on "received_events" ("transport_id", "due_at", "id", "size");
CREATE INDEX "received_events_due" on "received_events" ("due_at", "id");
CREATE INDEX "webhook_tokens_received_at" on "webhook_tokens" ("received_at");
CREATE INDEX "sender_uses_last_used_at" on "sender_uses" ("last_used_at");
CREATE INDEX "sender_checks_transport_id" on "sender_checks" ("transport_id");
CREATE UNIQUE INDEX "dkim_keys_selector" on "dkim_keys" ("domain", "selector");
CREATE UNIQUE INDEX "dkim_keys_published" on "dkim_keys" ("domain", "brand_id") where is_published;
commit;
