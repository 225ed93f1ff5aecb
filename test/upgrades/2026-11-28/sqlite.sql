BEGIN TRANSACTION;
CREATE TABLE "broadcasts" ("id" integer primary key autoincrement, "email_id" bigint not null, "caller" text not null, "created_at" bigint not null, "finished_at" bigint, "state" text not null, "problem" text, "segment" text, "contact_ids" text, "is_prepared" boolean not null, "prepared_to" bigint not null, "total" bigint not null, "skipped" text default '{}' not null, "accepted" bigint not null, "refused" bigint not null, "uncertain" bigint not null, "suppressed" bigint not null, "rate_stretch" bigint not null, "rate_count" bigint not null, "rate_before" bigint not null, "message_seed" text not null, "idempotency_key" text unique, "request_hash" text, braked_at bigint, "brake_attempts" bigint not null default 0, "brake_refused" bigint not null default 0, "delivered" bigint not null default 0, "bounced" bigint not null default 0, "complained" bigint not null default 0, "unsubscribed" bigint not null default 0, brake_kind text, brake_events bigint, brake_accepted bigint, continued_at bigint);
INSERT INTO "broadcasts" VALUES(1,1,'Admin',1795855735034,1795855735135,'done',NULL,NULL,NULL,1,1000,2,'{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}',2,0,0,0,179585573,2,0,'202c02bd3f9c7851b7cc82b9',NULL,'hvQfqx-RhaHp8b6XvrEj9UuU160PekJEeDRBZl0ZUZU',NULL,2,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "broadcasts" VALUES(2,2,'Admin',1795855735174,NULL,'running',NULL,'news',NULL,1,6,6,'{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}',0,0,0,0,0,0,0,'f8a0830cea9a809c5d38e86b',NULL,'fkekkqirkjn0f7IdawuCIybsuFVcK9wPDruQY-MzcOA',NULL,0,0,0,0,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "broadcasts" VALUES(3,3,'Admin',1795855735240,NULL,'paused',NULL,NULL,NULL,1,1000,1,'{"alreadySent":0,"beingSent":0,"withoutAddress":0,"unpublished":0,"deleted":0,"suppressed":0}',0,0,0,0,0,0,0,'1a1bcc5189d02cedcd46e8f0',NULL,'xHFcCxpwANjp31N5vJDZ1bsf21PorLwS-mN4JFCLOPY',NULL,0,0,0,0,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE "console_sessions" ("id" integer primary key autoincrement, "hash" text not null unique, "user_id" bigint not null references "users" ("id") on delete cascade, "created_at" bigint not null, "used_at" bigint not null, "expires_at" bigint not null, "address" text not null, "user_agent" text not null);
CREATE TABLE "contact_segments" ("segment" text not null, "contact_id" bigint not null references "contacts" ("id") on delete cascade, constraint "contact_segments_key" primary key ("segment", "contact_id"));
INSERT INTO "contact_segments" VALUES('news',1);
INSERT INTO "contact_segments" VALUES('all',1);
INSERT INTO "contact_segments" VALUES('news',2);
INSERT INTO "contact_segments" VALUES('all',2);
INSERT INTO "contact_segments" VALUES('news',3);
INSERT INTO "contact_segments" VALUES('all',3);
INSERT INTO "contact_segments" VALUES('news',4);
INSERT INTO "contact_segments" VALUES('all',4);
INSERT INTO "contact_segments" VALUES('news',5);
INSERT INTO "contact_segments" VALUES('all',5);
INSERT INTO "contact_segments" VALUES('news',6);
INSERT INTO "contact_segments" VALUES('all',6);
CREATE TABLE "contacts" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "email" text, "email_key" text, "owner_id" bigint references "users" ("id") on delete set null, "points" bigint not null, "field_values" text not null, "tags" text not null, "segments" text not null);
INSERT INTO "contacts" VALUES(1,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n0
c0@example.com','c0@example.com','c0@example.com',NULL,0,'{"firstname":"N0"}','["vip"]','["news","all"]');
INSERT INTO "contacts" VALUES(2,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n1
c1@example.com','c1@example.com','c1@example.com',NULL,0,'{"firstname":"N1"}','["vip"]','["news","all"]');
INSERT INTO "contacts" VALUES(3,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n2
c2@example.com','c2@example.com','c2@example.com',NULL,0,'{"firstname":"N2"}','["vip"]','["news","all"]');
INSERT INTO "contacts" VALUES(4,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n3
c3@example.com','c3@example.com','c3@example.com',NULL,0,'{"firstname":"N3"}','["vip"]','["news","all"]');
INSERT INTO "contacts" VALUES(5,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n4
c4@example.com','c4@example.com','c4@example.com',NULL,0,'{"firstname":"N4"}','["vip"]','["news","all"]');
INSERT INTO "contacts" VALUES(6,1,1795855734012,NULL,'Admin',1,NULL,NULL,1,'n5
c5@example.com','c5@example.com','c5@example.com',NULL,0,'{"firstname":"N5"}','["vip"]','["news","all"]');
CREATE TABLE "data_keys" ("id" text primary key, "wrapped" text not null, "secret_key_id" text not null, "created_at" bigint not null, "retired_at" bigint);
INSERT INTO "data_keys" VALUES('9455b433','oHaf7nqtSNS1+XcecpIgTDPRqZXQ2QtD5XEQEHvmVAyRYWmfqn8QW7Xox7QzbChsZnc7xx8IoO3EIzEV','1c0f47864cb1ecb4',1795855732945,NULL);
CREATE TABLE "deleted_records" ("kind" text not null, "id" bigint not null, "name" text not null, "search_text" text not null, "mautic_id" bigint, "is_published" boolean not null, "created_by_id" bigint, "date_deleted" bigint not null, "deleted_by" text not null, "record" text not null, "related" text not null, constraint "deleted_records_key" primary key ("kind", "id"));
INSERT INTO "deleted_records" VALUES('transports',3,'Deleted','deleted',NULL,1,1,1795855733624,'Admin','{"id":3,"is_published":1,"date_added":1795855733608,"date_modified":null,"created_by":"Admin","created_by_id":1,"modified_by":null,"modified_by_id":null,"revision":1,"search_text":"deleted","name":"Deleted","name_key":"deleted","description":null,"mailer_dsn":"9455b433.0i6sJU7+X3SC80EqrsfDqIgo0xwrhYtcpVYm7y+nhVjRKdVJMeRu","tested_email_from":null,"mautic_id":null,"is_public_only":0}','{"lastTest":null,"uses":{}}');
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
CREATE TABLE "deliveries" ("id" integer primary key autoincrement, "started_at" bigint not null, "duration_ms" bigint, "source" text not null, "caller" text not null, "email_id" bigint, "contact_id" bigint, "broadcast_id" bigint, "sender" text not null, "recipient" text not null, "recipient_key" text not null, "transport_id" bigint, "transport" text, "member" text, "outcome" text not null, "is_permanent" boolean, "reply" text, "reason" text, "message_id" text, "provider_id" text, "process_id" text not null, "trace" text not null, "request_hash" text, "mautic_id" bigint default 0 not null, "is_bounced" boolean default false not null, subject text, event text);
INSERT INTO "deliveries" VALUES(1,1795855734991,10,'api','Admin',1,1,NULL,'news@brand.example','c0@example.com','c0@example.com',1,'Inbox','inbox://local','accepted',NULL,'250 Captured, not sent: /api/inbox/3',NULL,'<97841a53-f5da-4261-be3a-af1a022d2a40@brand.example>','3','bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]',NULL,0,0,'Welcome',NULL);
INSERT INTO "deliveries" VALUES(2,1795855735111,2,'broadcast','Admin',1,2,1,'news@brand.example','c1@example.com','c1@example.com',1,'Inbox','inbox://local','accepted',NULL,'250 Captured, not sent: /api/inbox/4',NULL,'<558db5813ef82dc15fbeb2f081ab2d255292bf36@brand.example>','4','bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]',NULL,0,0,'Welcome',NULL);
INSERT INTO "deliveries" VALUES(3,1795855735111,13,'broadcast','Admin',1,3,1,'news@brand.example','c2@example.com','c2@example.com',1,'Inbox','inbox://local','accepted',NULL,'250 Captured, not sent: /api/inbox/5',NULL,'<5d70610b5bac6106a311f53905b0987ada65c7ce@brand.example>','5','bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":1,"name":"Inbox"},"outcome":"taken","reason":"it is assigned to email 1"}]',NULL,0,0,'Welcome',NULL);
INSERT INTO "deliveries" VALUES(4,1795855735251,26,'broadcast','Admin',2,1,2,'news@brand.example','c0@example.com','c0@example.com',2,'Closed','smtp://127.0.0.1:1','deferred',NULL,NULL,'Nothing answers at 127.0.0.1:1 (connection refused).','<813938a822670ac9c6d00d2c6fc982fe8129ca70@brand.example>',NULL,'bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]',NULL,0,0,'Offer',NULL);
INSERT INTO "deliveries" VALUES(5,1795855735253,11,'broadcast','Admin',2,2,2,'news@brand.example','c1@example.com','c1@example.com',2,'Closed','smtp://127.0.0.1:1','deferred',NULL,NULL,'Nothing answers at 127.0.0.1:1 (connection refused).','<5b49c2d06e97c7fca67d429d0cdaccc99aab780f@brand.example>',NULL,'bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]',NULL,0,0,'Offer',NULL);
INSERT INTO "deliveries" VALUES(6,1795855735271,8,'broadcast','Admin',2,3,2,'news@brand.example','c2@example.com','c2@example.com',2,'Closed','smtp://127.0.0.1:1','deferred',NULL,NULL,'Nothing answers at 127.0.0.1:1 (connection refused).','<a7fdb476eddea1f5ca6fa9f1b4fba5a92c9d41d0@brand.example>',NULL,'bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]',NULL,0,0,'Offer',NULL);
INSERT INTO "deliveries" VALUES(7,1795855735296,3,'broadcast','Admin',2,4,2,'news@brand.example','c3@example.com','c3@example.com',2,'Closed','smtp://127.0.0.1:1','deferred',NULL,NULL,'Nothing answers at 127.0.0.1:1 (connection refused).','<ac74ebce6dbc7e62b3fc4abe9e768780324bc0c6@brand.example>',NULL,'bdcb2f5b-f3fd-449a-b260-279b593fab6e','[{"source":"email","transport":{"id":2,"name":"Closed"},"outcome":"taken","reason":"it is assigned to email 2"}]',NULL,0,0,'Offer',NULL);
CREATE TABLE delivery_count_changes (id integer primary key, started_at bigint, transport_id bigint,
    source text, outcome text, change bigint);
INSERT INTO "delivery_count_changes" VALUES(1,1795855680000,1,'api','accepted',1);
INSERT INTO "delivery_count_changes" VALUES(2,1795855680000,1,'broadcast','accepted',1);
INSERT INTO "delivery_count_changes" VALUES(3,1795855680000,1,'broadcast','accepted',1);
INSERT INTO "delivery_count_changes" VALUES(4,1795855680000,2,'broadcast','deferred',1);
INSERT INTO "delivery_count_changes" VALUES(5,1795855680000,2,'broadcast','deferred',1);
INSERT INTO "delivery_count_changes" VALUES(6,1795855680000,2,'broadcast','deferred',1);
INSERT INTO "delivery_count_changes" VALUES(7,1795855680000,2,'broadcast','deferred',1);
CREATE TABLE "delivery_counts" ("transport_id" bigint not null, "span_ms" bigint not null, "started_at" bigint not null, "source" text not null, "outcome" text not null, "count" bigint not null, constraint "delivery_counts_once" primary key ("transport_id", "span_ms", "started_at", "source", "outcome")) without rowid;
CREATE TABLE "delivery_events" ("id" integer primary key autoincrement, "delivery_id" bigint not null, "started_at" bigint not null, "transport_id" bigint not null, "type" text not null, "class" text, "at" bigint not null, "received_at" bigint not null, "reason" text, "provider" text not null, "source" text not null, "is_guess" boolean not null, "is_first" boolean not null, "event_key" text not null);
CREATE TABLE "delivery_keys" ("key" text not null primary key, "kind" text not null, "delivery_id" bigint not null, "started_at" bigint not null, "acknowledged_at" bigint) without rowid;
INSERT INTO "delivery_keys" VALUES('050b9eef-9b69-4515-a15b-a7a5259e83a4','message',1,1795855734991,NULL);
INSERT INTO "delivery_keys" VALUES('email 1.0 contact 2','bulk',2,1795855735111,NULL);
INSERT INTO "delivery_keys" VALUES('email 1.0 contact 3','bulk',3,1795855735111,NULL);
CREATE TABLE "delivery_processes" ("id" text primary key, "seen_at" bigint not null, "rendering" bigint, "host" text, "pid" bigint, "version" text, "started_at" bigint);
CREATE TABLE "dkim_keys" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "domain" text not null unique, "algorithm" text not null, "selector" text not null, "private_key" text not null, "public_key" text not null, "state" text not null, "active_at" bigint, "absent_since" bigint, "problem" text, "checked_at" bigint, "check_at" bigint not null, "next_algorithm" text, "next_selector" text, "next_private_key" text, "next_public_key" text, "next_problem" text, "next_added_at" bigint, "removable" text not null);
INSERT INTO "dkim_keys" VALUES(1,1,1795855734385,NULL,'Admin',1,NULL,NULL,1,'brand.example
mailyard-202611','brand.example','rsa','mailyard-202611','9455b433.BL4l8c5fyfOb2hYGnW+G04gNstR7A5RBqH6GfSsNqpcCBxurw3gYrXVb5wWkFCQ0OazQ9/Zyt/KNG2AFEs9P1zDS8HKUUKByRbPYAkssSzh+4qboUYO2jsLzdv25iseOKz+szPPbwnEUmWQHjmpreA4FC98W251hheMBEqRMaFufBGSUhbFKyTkxAn1m4/wedep+aupwtIRMhGUA5lzxhMPRtBhaigwNYDPsRp5Vn7t4AblxLZnyPaS2niC567tNlGu410GCMibYduArPXY5BGLd+3nwFlXonQchra6ACC9+9t2GT78sb/n6xzZOeaavoSIA/9wDRav7TIDW4CCKeTzpPun2pPaA6xjUPySqnqkJcqVRgPEsJUfvUgriITxnI4I7l3prPxWE4jXmpV9hb6R80IHPfL9pWfYeFApcgKJvAzGxlynp344PEY4cv52VyYcEbC1N3l2fFGCORHbPJbHSx5NGv57Fto98t+lJtshSZVh1wxzUzdOIyCzkFtY24uZVCiAskZFYnuZj+aWDJW2ompJHk/S9q1b3exSCg5pq+L8U9EyXEYR+wpHcy4hSm8wfxVREzNGnfUFTGxFl2hAhvEIApTuRhFJhTm/PLL/w821y6UnfXsfL5C07eHMrk5/3XofPEbmuyG4ktdxgTQuxH3I6dYoaHc5L2F456+ZaXxYs1NpqeU+WGvcecfWRd+es7nWNBsrOOt8p3+DLofXmYpmo9fOgLj7pX9RsGuUbcIqvjAvqCl6kHUp7VfquPl1mbi3nGfMQiar9my4cJgDZKhEDjsCaeZ3q1KVK87Sh+W3NSXfrRO8t2U+i+3QJJO3G4Mj1fxJEdFwWcyRAivnTq03vIUCyBdBX/xPvPjEdmqR71a2awAjGQzWJtNPXSM6ZOWB9ThbiLuwU8kzFMdE7eHaX/wJ68pUvOUsUiugW4PAGJ7T+eeGlUOUcDpqtAdSj/v/9tN246nxIyJCcLfT/Y5DqE/g0nRlS/okb4YhcyNaLOMEwsQvy2BqNtZHztcoJG4abU0KNhl29n6M7gVOFic+aX6QtmwibAGYgIhRa6BnbyNAXMBRK74wiDe412ejJBARByTmWe5ERy5WbecKEE2QunBOAGIsty2Usey5SpuXJHU6ZeWCwtHvKDP8i5IyzngWRcwq4VdzlMgPdbiNE4G/Rf8A0ihDv15gpS4PJCoM5HxTcmyBlDWIV+xSEFrHpe1qFFrthEJbYnc9ZaXdwemDS8qp9l6T8Wgv39j4V9JR1xSalh+tnArf+IXMIG2A6x0r3co9fdeOdok8MmU9tsPlRnOQpYBpBkTJxrVGXXWJJ3XZnD0FR5Dqv5Kl4gArjqOB4bBNr1BlpDbVfJT1iMERqxTh7is4prJDXN2oITGnwbyPYaMLifZMICgzX4BLXt8yIW64GoZzR2I2z6rq4H7meOtO3WjjIFLX2nsqXVXPD8/MgNRd76F3YxAokFTvjx8ZzkQ+ysHTQ8xFsq/lKyrjjWjIC6Ym4ravOkmXaOlfRsybLbjGWar/9Gl2L3FQm7SI5YkQRTjTseM/NS/1roOEzyxiNY2PIbDPIhVK3kqtp6OyBbZhmT1eYlnG6AuUKsgudUmvBA/tlkdYRv3UyaW5n7AGUg9K6v4nNtgzndFzznI2bM9T+Ljj0XQuCajk8DacjL+O36Fv0x4TkFP4shdgpnZ7cEQYgxcC42HHqdJsclv7hApDsAEragrw4nwYTnVHWZ9V5aouFLUqEud/ADKeu4s9ps/FKEfoiSCb3wc3rkZ7vCCzvOQzzAcd76G+Sd7f7KWc1oUg+LQB06/bct9TAH/zNoLbZZTp+U6QlXZUKLAkxQH49+973w/V0Daa7ShJeOtObMYeao0ydd4fvVIAazGh30sValZgmz9Ve4X3jE0h3RjCIidv5Xo9zg4b5cXYVqoDYQhC+5rduZCPoCRwXYX1l+xCU3evv4L+3qjWEr10Sms6o5ixiFkATtniI4vuj9w+jrhVQTTB8K2qGdirNuXdgCJdkDV2PG7h/ZwQ3wY9v00mQF3XcNXxP0D+WFB0KsxgzKtbzt+/T6kuBh9ZEwQKClgFoaNEOMqAiSSh6Wf9y/nTUdrL9Web13yFaNZE1DdX510yEFyOtyo/dwXI70mDAsn38KQD2KAp3yBxChBGlGa7Nn8n9DRD8VXNqHc+NcCGRER7jw6ATHTuFLJPCvQMZQSOIeR+D2Ie78M4h+3WAECzzzef7BrN0sYxEmU7CsuFh2O+kvGAOAFxQojfIOeaLE8HLS2FCdZzGiekAjBeVXS+ZtqVUCWGbRvC4VQ==','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAt34eCDM2+ieJeEb6ADk9Yc9elPcjRP/POCI0iQyEQtwoGgrze8zjkbT1rF9ov3RjJo6h0sAfa7gTwI01KirEiL0/7upv3SUQVF2GOVHjLnuwpyY4wAXNYKbLFehAk+ZM61AnG/FJttDGwSNRIEg/3xh2aaSCQClA/GEKo0rl1VgQy7341U5DXCDZ3LY5Kk7DJOsSAveQW7ZZnO7SfaDcnikcokrXdI7ttinxQIRFMqK98J/aKHUupv/rq6bOe3MwvhzL2FdgvLnmBcLtNm5ZnUe4Jb6pp/mPEUaPQWQMyE+RwM8GtSf4mDlFWZ5x2hTZ2qqvowtO2eQEUttdeANx/QIDAQAB','active',1795855734636,NULL,NULL,NULL,1795859334636,NULL,NULL,NULL,NULL,NULL,NULL,'[]');
INSERT INTO "dkim_keys" VALUES(2,1,1795855734629,1795855734689,'Admin',1,'Admin',1,2,'other.example
mailyard-202611','other.example','rsa','mailyard-202611','9455b433.XS3fOvWcuABUvFHWOIWgLH+GG9M/UDhzVlzAM9c5uV/RCwrzZlFCiBChMwDs202Pqt2djdE7/5woehHrMVLQFbqHtc+mqqB88PMiM8iq8b3HUx4dzWVSbidClFKdzr6IaI3KCJ+/jXCJteGn2Pb1wct3+YGAxn4vQoEWfPuYwxZs41mdKdi6aUTwJIs8nkXlSpU/Bm00O4J2FVt4GrdGeTWCXrnb9s0QnDMYj6FOeN7aI2LMd643UGXsFFjEd5aZFGnc8wUGrHpJb/gR2GhScHmp4jJAv6mDEm/9Q9rSyciYCNVa6Q0gmdj9LqBhiTaE1eyd1+T1twdlIRZzcl2V/dkPPQsyPI7VZGGsvZVmAJbd5xxSOkoYQHovmblrD0RaGBpbSpJc60UhRVQCThjXtbHPqvZ/IL7O7x2kW8Y4Stu71t41/a8ZllVhVGLjuV7c2ZaVYXE9z8v/VLrnA90Y9M22gLDR/ZSZUUe7WukaWWTJaL9LUSdkff3WIJ5nGi435sg/YlI2Kc2BeHoRf4Qri5QmL3d23usSaMEhCPBmg+TUJS8O8RPbE6luwVACZhUuXE7fABe7IBaxxnc57fMG1Uu1mK6EdVwoAIHm3e1a9Fe34hoNKUf1qU7iKG6yAnhzHCETMpEzc77wdHmzI53rWQ6UGayb72Lw3hDmIl6afrqUwhPu0GR7Oq8nqvtRwMQYy2R4+PoSX6oXeA+yLH7UFzCr5iW6xh/jdit+ScWwjVvB/XpYrfq6HjyyKFRnPLLVeZ0HzPb6tOka8ToQbD1NVgTxcfsqp0Fo4FV8GIhNHRR7QL+910cwNk4Yny5uAew6VLq78OlFwVHb+9PQWLHas75XCF/nfWovsAsoAYqJz96lwU5NsyhjOrDjR5OEWF/ErkDSUURBS6J2LaC1d3oBK3yghcEqr4dkTm50XLjLSMh3y24BHERwAk85s/TO3IHXP7Ve/CDdpBghJ+JWm63OJfGDXsk9O6DQL7MJEYqnFJgDdSlmM19aBhn23SxYPn3wjDPv9qGnPcuuLJGgDpU3cADL7Ndhqptcx9q2/hiH7NsN8qXDnSAcaRt4sXIWgsH0wZ21WObj1uoidSWwzDlLm/y4XWckvXnEPReFauOKsWgloXMyDrKsJrj/S72ai8dMJ7pb3Cp607nb/CSr5wnLyVNlyBJDUaDsprsuRBtk9mcTUDqjXurq6ixqGmXfOuYGTSfvxkgTz5cVgO3JbNk9LatMpArZnpbBdrDustVKfbXdqCv3T6KVi4yWWdD/ZO0PIE3DKfs461vPGMPAvCefRL/z4KngVDvu7KfiRDmEHYtNuI9cAuH9xdojp+KrDjfv95HWxWEKuaEREma2s/faP3IwPGUtlF/0CaNsQr7Scc9r+X9pB0YIAzCV+UH2h+g+sDvKaMPDei123Yo63Yi5wd6onrU09TBKVtXNJ4B80uX3hc1b8nZofiZokvpSE+upSmhGyXBeu4T44me2gj2Yjg1SRXq8hxR0c/EF3uPcUbVjmXCx9jSDVVa1jJm5pnHeEdgxELrC4XRztH/2XH7wsUhuq2uyzfPH87oOdyBwVyrb2t5Ox4t5He1ns5z1waBgxMYJsS2JIToRpFv+LULPjLoyWy4w566py6dXypikQpQ/I0LPQ/0B6I/y3FPaH1WBJ4uRDbE6K3abG3MkBoCVp0/AKKe0PXkJ1Dm6tMLcmuqKh3thzrcLn6lypVdjarTcUCrdGoUOsaTUSmKbb/3PrnRQpAuUYNe5054rP5VdMJz/jGP81XbMcamSBzdrMQdU91y+GseYJHqQh2SPXyZLIeMQ8TTwq35mFgrZkyTwyr4SutfLkw9XkJYbJHx08A7dqlU8D7pM74yKIFdko1UgwYjqy5/I8OijVc249v52/no/SIwjd7eMT7+L+CPVtXZe74grywe8G2G5WRnEKdz3P/WRImIsuFSIG6bj2r6NT4rOc5Qjf9aiO70jCGL9I4SytQZVm+pYaZT3x7TsFJGJyOi1uXgsQ0djhougKWZfpxO8Xg1wq7yHRjehAym8NM3BYeWjCc+hYbfopnKwUhB2z4VbAFlTjZxoy67F0TyUbH+6v2D6m99aVI/Y40Cq9kbNLDgg3KsnKuClMQzhCiGe4xUiWbUvASWOEdkfXNg0Hzwjviy6qTl3WMyAtjm27bB7dSuHQli86Y91DEYT1S3oRwhSxF51BBX4jTtmhN6eyUMiFKPVGJrr51UgWebWEszJooNk6gFKVyeQWMD6BbBB5s/jfVm7txX1ibjtGiVB+nmJHYMKKbngUd0eT3hKLgDPNdf+QA==','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzI8ytxB7PrIWGIRt/wFlq7o4y0lIcZ9CAwUNY9CkAcsma9jpaFh70aMAs9+EQgkQh9x9Ydf5wJ2oYttw2yo5X2ury7cQe8ZXfx7FXiPZcaK3eCSwXjpyQyXWxxVxmKNFNI+WMl4FYTlFTRgFNQ0nOl7KoAVhv5lYyExw7W696UplAM1sf6q1VT0iIVJVt4MeWQTFUfZB5+yTjubbm7fYtF3udSZgUEo+/qFQElwdSeYSEyYBUnn3b3k1ejoYfls55yoxg6s/Y0hV1aE9j2/aKoXyiUZo2gTUkookkTK7RsiLWC8DNfLwQbty7aVoDoAsHBCobnaBwQZdh4cKmaPZXQIDAQAB','active',1795855734636,NULL,NULL,NULL,1795856034688,'rsa','mailyard-202611b','9455b433.4O+Etea1WekNNYTWinR0dVe9dt6iGZCVpAxWb021AeKoYk9bN34C9mi9Y6dxLoQEKmWqaNMQiVerjU+JqUiwWFrz988VlaFk8bWPQaEwUz64uT+xZkP3wXz97hwj4RBjHYd3xttqi29H2WyEcufXEpXXzBORx401BSE/ej8Mzb6kawIJ51wSd8ywcEIKME0YCIz5X6mastRR6R8kQ6PstCPccCCu4e7+gzMO+M7XeoXN5ZZwmCrELqMn2hZ6n14m6oHlWSoYVVJVuwOefMHQXBZS+pQmFUo5p5ag8np3MuzY/F3Y7JKe7s6o+Yyf7syQWEpbo6QIqjmm710Nf5u7YV6YzzlAyjFqe2zxkbeuVp492uGUK/KXrDfzsvidNcwal/tRGsV4GIk7IrT6JsjP+00bwxUQoaDy4BNvzrzXrIAFAgjiaC+zREHNjCJjGlRb8/6EeF23vb1B40/QPi+9Ndyw6kCW4FRZCHs4frWsX7w32aZMaRmbx+z4ZUuPpXG2jyYu87pCmoEWtoCfErr0nGkTskh1oD64o0XGvyUX31QND61v5+68CxYFoHlBuHXYZaa/YxcBv7s9N/ZvPTf14bS7E3zZ1saQvwCO6cmmknUYX9aC5siEe/f6emkBQyKcShGTsI8cEUH+iBOzVGW9KEsSlqmhkqXbumm8gMNgfLYCONt/vigKR62SFOX0OCNuP5WYpCCV+y7Rp5vSpd+KXslaCeKk5vul53fgiq3v39neqJG/HPx7sdDrfxU0cMdKDBgCc6dk1BG6B3vjZ7LUvKR94QHo5bZLNWrRN1yjsUmJOuNzgZDjmg+0Ze//NXn5geQdujaz/oIVXDcVpsqmiHUytHwOVZQo3UvcL2+rOkhWOHeyjHSEJyrGEm2VQ3lI0icauQiKZs96dU7A/aPw1016h5qGxBDA7xSx1OLp+L4YezJcuFeWSiaGLfx26j/w5sk8CAu8RgDV+Cqx04RSpzTmvKCoiCQFIcj8sKAwQj/r4fzc7Hfgq1P15QNh1whSs+HNwXj9m0s6YnSbXQ6yDek5j7xQCyLstAjAO6JX2tiU3RU6StSyBbai4r3nk7wMEhriMRVluvMQ0YEQCE5Pd6+lJpFIpXQItSlwLM+qkAw3pndGVwaPn3iB/CQLOD7dC2Cdy3H5ryNpMD8MyLhQDuJJhB5s6uAgX++L+5POUymPUjTn4wLfcX0t5RqRfbuPjRF2BAWRx9roF1XATa/peSv5ehxQ0fOEeeAbS/r4Mc5tmhWoKlj52RFcrZrQWbu2qIXGLX1PEoMVrleAkDvzxQ2cj14qs7U7nTVTTx3HG1HYjcqssc4X8nl0clQ9oO72sK0A3sVggHZ6s6MY89QhixVtrBfwcFFRZt9VlhR3BIMXh2zgMuzLE5yTjtt1h3ImKxec1y1YSH6j9uIUt553UXXqpA9CLhSxREZZVkZIIi6hF3VPImoEDY7A2WffYellWAA9rLGu+C4QQ+kHir0Kl6iFvGLEoaLWaVjzCLtg1/SoxWpbnQuhWcnWVBVsJD1NSo02P52vrOItnW2nnX/9EItfhTVBQWYajFaDpGlfzV+s9iSDxk8HA/iMEkVItuhbGNvwjti4YMTH+oHDwAtvE5BlEu40VW64tn4cL50GP/hH5SpPOXq9f9hg7tN5Yr476BPoFhkv2/Jn11JwV9+/D91xA2q+dYpL8fPmGFKovhHQGfOi3nz0ut53Wi4sErNFSP8PPYVbQB3VhD/ZG5lBoqFW8wgGYZBUKWcTyltj9wg5KJia0u8pHDSaATIPddwyn0WGSnwaRDGhfaJMupC0TcxLxP31caqOoKWqPCalZdPtYwSgwjtYjd2Fl1i5EMu4ryj8LyfGHfINDdbzPfTVy/iLBM7hd7ZyMYrDbqHxDABut6I43oEahpUnmR4wKmcoAGwYz64EFkpGmhFRa0e0isAbIuQe1yPIaaJJgWtLpEzmrvcSuy7KFkq82/6gunWPi/OsBcBr0NHfmT3LyqxZu9WFwuXv/VlyRiOQO478vPM5UGCST2tfYDH3oqPqGcxwMcMVUnYm7K9qFL5A3rWHvcutJ59pYYfv81qsjzMZQrW7ssv6AxM0FNDEWKaZ5pE2wQzrpyOlx64v0OaJFdApPnx92zBAw3TBVDCkjDPHg7s/SZMFjoEcHb5yGchDUjYobJjz5NLsVOMjhX6lBE1FnrjEw2j+wp4SXCGBGFJ6uz516zowmNJ+OghD6eYMFhUK/0Z+K//tg0RQq2xNhk4hq9pQ0OuO0E4YNL22IAUaVGzYe+e/OG9JLzdbW6ep6okOoanvJw==','MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyFbzAj2tt14qXI9bJKc/EmKR6h8NbCljJrRkDwgyHt3QLimYk89fAOkQBY14bqxzPCbNWW++L1H64eT4VCKaDYDNAnCtm84tyD0f2OXf3S2e2jQ40ehLb623fPXLTPWE2o1MJ2H7oQ0dqR/3xy73bsvoD6EePXJt6e4mDtZk0nmi/hBsrHzAI8MyWufq0dob7QFzk+3Cz1pcvVRNBH/g90Wcgb6JiiZ92P+kb0JQD7b4YntM9BLiBP3JEUaRZeb9itq+jeTXuANtUlBBQVggn8gsJaWVczhIjLudv2ugrNrC/yQg69srfwZYRl0ypAo0PTXRSc/xTn+aUBUGSmJQuwIDAQAB',NULL,1795855734688,'[]');
CREATE TABLE "email_transports" ("transport_id" bigint references "transports" ("id") on delete set null, "use_owner_transport" boolean not null, "email_id" bigint primary key references "emails" ("id") on delete cascade, "deleted_transport_id" bigint);
INSERT INTO "email_transports" VALUES(1,0,1,NULL);
INSERT INTO "email_transports" VALUES(2,0,2,NULL);
CREATE TABLE "emails" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "subject" text not null, "from_address" text, "from_name" text, "reply_to_address" text, "custom_html" text, "plain_text" text, "headers" text not null, "is_twig" boolean not null);
INSERT INTO "emails" VALUES(1,1,1795855732961,1795855733883,'Mailyard',NULL,'Admin',1,2,'sample email
welcome','Sample email','Welcome','news@brand.example',NULL,NULL,'<p>{twigtemplate=1}, <a href="{unsubscribe_url}">bye</a></p>','Hello {contactfield=firstname|there},

this is a sample.
','{}',0);
INSERT INTO "emails" VALUES(2,1,1795855733908,NULL,'Admin',1,NULL,NULL,1,'offer
offer','Offer','Offer','news@brand.example',NULL,NULL,NULL,'Hello','{}',0);
INSERT INTO "emails" VALUES(3,1,1795855735215,NULL,'Admin',1,NULL,NULL,1,'paused
paused','Paused','Paused','news@brand.example',NULL,NULL,NULL,'Hello','{}',0);
CREATE TABLE "inbox_messages" ("id" integer primary key autoincrement, "captured_at" bigint not null, "sender" text not null, "recipients" text not null, "subject" text not null, "message_id" text, "transport_id" bigint, "transport" text, "size_bytes" bigint not null, "search_text" text not null, "is_complete" boolean default true not null);
INSERT INTO "inbox_messages" VALUES(1,1795855733708,'hello@example.com','["admin@localhost"]','Test message','<479c35c7-7c11-d2c3-a959-39ae5629bdf5@example.com>',1,'Inbox',534,'hello@example.com admin@localhost test message',1);
INSERT INTO "inbox_messages" VALUES(2,1795855733749,'kept@example.com','["admin@localhost"]','Test message','<01e527d8-0820-25bb-d809-538afba1f4e2@example.com>',NULL,'not saved',369,'kept@example.com admin@localhost test message',1);
INSERT INTO "inbox_messages" VALUES(3,1795855735000,'news@brand.example','["c0@example.com"]','Welcome','<97841a53-f5da-4261-be3a-af1a022d2a40@brand.example>',1,'Inbox',950,'news@brand.example c0@example.com welcome',1);
INSERT INTO "inbox_messages" VALUES(4,1795855735119,'news@brand.example','["c1@example.com"]','Welcome','<558db5813ef82dc15fbeb2f081ab2d255292bf36@brand.example>',1,'Inbox',1013,'news@brand.example c1@example.com welcome',1);
INSERT INTO "inbox_messages" VALUES(5,1795855735120,'news@brand.example','["c2@example.com"]','Welcome','<5d70610b5bac6106a311f53905b0987ada65c7ce@brand.example>',1,'Inbox',1013,'news@brand.example c2@example.com welcome',1);
CREATE TABLE "inbox_pieces" ("message_id" bigint not null references "inbox_messages" ("id") on delete cascade, "number" integer not null, "sealed" text not null, constraint "inbox_pieces_key" primary key ("message_id", "number"));
INSERT INTO "inbox_pieces" VALUES(1,0,'9455b433.wVlEXsOWlbaF+qqbQiGMgHkKP3ayfQHykIEMhkziG6eLu66T4fWrMwuhNzb0t0LngD5PhLgwf0T8pt5T/qW5tz32cZCBR4TB8Cn8cA7id9JwCPTNLqC6IlF4AzCiBCMkjA2427L9NyVieGPb9vqVvftpF0D9lFgjPYUUVjbjfdYWqznquglwJ/5qgoIbjtn2gOaBC7on7rZDOiB/JQKnLV2ZX8hhPl78Z1EhewDTahet7raZAcc5r+fl1+VfQRJ7wbHbBvRK6px9PTUtJogGmFsnkLE5DCaXJ+jDbq80pRjDOL1wlIy71gIaBbspyHEMAmPZZTVyIiQz4IXdNyCKXAcm7DT2OAkoMpe+0TKAK6dNGmmQQB1q9+yCXVAlMNPMEd+wzzd+RWEumdbknkTOwlfjXcTZw4TZEHSxwO5pwwtr/IkuyPQKyxaVOFCs03+9DSA1GU9W+vxHJQ3j9JDnXG7l7lHsAUhfw0WVpOVc5oR4WUojWXDsQ8AtH+ZWHuZBvD4026Pk+Qkf7ndHzYWqdwz9MFSxwnIJNGIMcd6geq6c9HRqKNmq4MoMkC+lMN19hlS30mysEKQJKpr2wMjIhWQ8tsvKYNK+1x0WTjctMTw6UGXkytlj5HJ0bj1KaARwabF49VCBeNyfuVIXVoXBMkl5katLzkEoeO6FDqza0fe65tonpkCMpuLnguZq4um6mjg7uJ8CXLmsspsvKQdzIH10ZrsUlNofzxdKWjCuYMwksA==');
INSERT INTO "inbox_pieces" VALUES(2,0,'9455b433.JjbleJtWxrO2f8VNkUw6uOE8cxQWcf/uRTW21880h0HQ3zjydFTgfwP7ov2Jbdr0+56a6OTW1Fa6gu4MdwiTZccmEiSd5DS9dOk+ywRp8UB+sIhDxF08zyJ8F1jW9GrdH712V2TAKoXS7SDbBcAVXWUSr8YefMjBVP4uckw4gDsHa3qxmkgQHHjjax751aB8wNWmTeN8hXuWem5D8BSXY8/RbOGypVDBVny2JLCySu0ezDkpeQ0nYWE2EacbWyybYKcnI3W/pg1BTqd4d51ik5KGgj8xjsE00XEZYjvubh52fcrqGY3NM9l5RgXsQLkZjuC8tCMEPnV8Mc1yb9PIIvJ8EvBPRunST//xS+eQ5rHcZojFhyZvx4DTvVXui3XAMsHtZuOhhs5OycXYJ64cIBZlFwvzfMQB6Oep2hFWNtBX2Ml42yuQm0zfgLWMcEwlBxpmG19FPsY+cHDTE2XcZjcoxPdK8CoszDeF+G9raeHE4QUwbqXqe/JnewI6X/AaG730L7AnqXaaEvhyow==');
INSERT INTO "inbox_pieces" VALUES(3,0,'9455b433.hOhIUR/oL1Iiuc6xAUOk+LCXnCmz1wp/Wz0YgzP3PKEWHn1/w4/mKPFktz5AGVUkRTmqIQeamesj48n0i030KoT184+L+A6wt+edbvwz2OG+JYYtzwQOxXrSmvmdRI0hn+kk22Z/hQd4Y6G4lUhz7rQiBRQcHrT8lPfRNL2DIrKIUnD1Did9naVc6l7m4TJR9FnvknlzMXtyRv05zybb9U96jaJh1rnOAbfapJ15ViBf9J3G4CytIaCNu8ydvQ/APaEyxa7SAp1UbxBgXT30Lbr+57T3jZFZq8fwg5JpR+pJLHgZgb4eylN9RbK0JIKhiVFyRPVd9MXDhj2c5byFLkRwjsUvTalu9hbViXS9vl+FN2yZ8uRwD2Dp4xu8Zq3GCjxE08gd03Zx8HTGemV1OGNO88VErhYYhJXmHNwu8/bxShME0IbkjJ3uthBeJrQwMs2e+3038ZP5099cBDEvTd05IMsT+fnvETzSMJFKgkVVVYRmawCw1Nd0JpsE4QITZqKrH3gcSHLrgbVSsCvKNWWHzhj30XJvs5EC2BuijhcsfxcKSD0cUYO4py841+j5OjE+yhlKd+H9EimRp71MqQt09JdCyivxhVH6jkoJp0TOodatctdww0lEV3AjfiZ6Fms2SgvVfevIo9aeLgmED7D5iqGcc4tjCJY+KwVni4F1txbNtWMoQjUEZuRCmXjLtFC3WpiYPlqbaFFF31IS2XoYZEZPOjQfCdaTbn7i+oYcRogzyLPwsXc1Qv3jXezAG5NmTrb7e82n+2Wwlyp9aGDAolLkrguzflIvF88riHM+e2IeiiIaMiJQMjO6/mQsoDgnk7l01kNCh/UvQ4dOW4YdqAHsOAR8U8EBAOLgkNmtH5iFf8ZkAU0kVqakBLqu474vm3MZQoDe8XzAWZ5ghKZSuBuJ51sGr0lgQoKXBYfg9Re9Rc4toobPrEtDnqzii6fN8yppqtcpeydn0uNW0tGz6stAnOppYPbyp3vykVTRER+cicDSAsZNCh+mZDUmhcLAV6XeK3kCfddZ0o5bfMbzoJsBDif47tDhEmp6pRvmGwrCfOjyeSHoKUXqTYoFHUoEYH+gXyfxcDTyB1IKkTn9fe4B3GncSiVVCW5IcMIhM4PPOFVbQ/Q+nWOpLus9v9AHTAFmvzOWwGM+sHOy1Z7x9qSkSI9+h4HNak+h6oU2gyamf+CPuPGOA2aerZoogglnlOsjw6UpHPr9LQ7/jYoS3PA20xukY5sylrl6PyyQ1w6JJoi36jD0fzy7N1EuxdHbJ0pnSueQVr5Xy2JDIyZc');
INSERT INTO "inbox_pieces" VALUES(4,0,'9455b433.clk9RY5O3gNEnxQtEc3Zie3dMdna/Wl/DnGFIbdXzVH/xmfQlDXdVs/UFoWq61N9BVEFZUapCph5u4Y5J76gqsr/b/+n2y/sm5WKpM1ZhtZFtmPNsoJOGQdOuqgMY09VSmznYOQ9LPN0TDySZtckYjW0mET6t2HWSViLc9tNlII0xmiWqJUu17KcwVLJT2DDPrncoP4fPobTc4WtlkPMGWPPT3H9iEJ9ywZXztckkI3fpx4B7HJPIRG/uCA0cylYxiKUBFE/uRZZwsBTQPcEIHVZunT3+lFOpZaMTwQpG7ViFLdg4GgmlnL46TfggJSDHNiDXIn8pMh3doBW4QK9ogq+xCBN+i/8XsfuT/uP1QMccCt2l+FS7Ypj1fbjAH0Ib/mSIo4h/PPRbvtGcn8+q4zturUysy9aHetX6F6Ma5LUL7oxZUX/qa+zq3jfe/f9MV+Zii5pXIF0kS+ldnKOMmH+G+h14/FNAZUX7pgTaLIILppMrbU+kwhCYh6CfxrbJVYpwFFt9r5IThNzmEFyUj6kr8jLfaOnpfMm2elKg72kjBsjDgTaE8YozqwGBjk18r4S0vHTxJ2h3megyqSOwNzVRTVebLimzTnl6Tj+8bFZ3fwvmdpN8nUt4XqoyKD6MD4G81YBpr+fbechaMrrZyzny76YQQamVzC7kxey6J80Hu0tDqN+7nwk4R4T4ZTXBMxiLWcLxCkV79U6abKMTU0lRpAcrlfAk8sEtQzAX7rtkmb8O0byDEA8T92J4/iYDDSyM1Qzoxe9WHVSpH8bTCSt1YGtHX5xZZsxFz5o0vsnAutliJ3bjEcnYw/qEOqSs9fUWtGc9M/dv+gijdzzyT+dp4Ll/vrtsuMt9FsO/EuIe5VRh31K48d0IMdc4qIvTcbuFvMqsZpMSJRdz8Y9/sWiaBI1n4WqHOgsGydbBntA2/9nVdb3PZoTGL/HgKF5CemoMsmOrCrS2QbIvNR5JrTYKleuWcvd5qhO7+Tbu51KksPFSAqPu4koq16Z7PFMG92OQZsM6/yFPoDSTsRmEYlCt+wrbAaEUTJGGpMLmzVFlCdaOug0H/ze07WUsMFyIrdlt/737DY24jsM7CeRbllJHXJb8zMNsT2jBd0rMr4gH//N3zTXsnxV2rm2OlXmMJf9gBdweAogCFp3Gl+REYdP7VSbxZQRBTKuIcEJdb2u7uGk1Mlxtm+N6y2Cx4tS1qoqcwd3OLUG2aZUtCBlNbOoOZXfhZJEga/LVzSsRYSXnp+Sln1EEAey6mGvhTOaFe0tuppFTDyigNbWAGV467ZKG+oFmpEIJm5+Q5XxzKnN/qb7JBBU0xDxmOYFyoltdh/Y5m6aPIucURLK6OINxJt0/Z4B5XtEtAQCB6KcFfpQ');
INSERT INTO "inbox_pieces" VALUES(5,0,'9455b433.08OIT3S2+3tEEkHf7kT3VnK2O8OIO73w2NIoPEyyPdICzWqjgSQ+h7io1etRxXT6K0ta/Xdk0Wxl6vM/uyU0lC2mZKknlGbanDBXQpO+mgHRex0yLQ9tTk0k9q6Sjd3L57xo/bAyQffkLcIrNxYcfveH2ySr6MFdA9CyMIHpOaVNKcv82MDTUw+YQtUhHc4VrONjHWQwFnIENkgBtz/J4P/5EqMSCiwwIwAbX/sgy6R0IypEuMgGh5VkOPPQ1a6LM6l91tyijU40TMUYCS3tqJqM3WYiQJOBJEY3qPKJWC9F6cMKuJAq4vpb1sZrr4PKhL8HyjXRdoyMPFSfA8aERf7PFdJXHYoLg1vr7ofs7ipym+k6tQhd5DEetvTETtnmlwy/jfY2q2N/5w1PLd8vSGH+fSjn/dOD+jllegex1eAu/fp2R5bmUmt+cLVmPh8T/lyHn7i9vngSWzh7bf4Jxg8BrzIIwXfGp51R+M4xB982gWr9Gj8/KZFc/sXgvavTrru/mVXYfu/K2MyQ9tkwxa5p4W/zYfjogQD+yDs7oJ9e7NE/a7aBVYM8QOGtAeOfFZ2IovSc6RPcd2WtOdH90dvCGZ0NhKlJuUrjriOhWZuKWjsFemanhsgqRPPcQFVAQB7XFx3294j2yPRK2V/QPCWTdh9GqT9JI0536ms2NWLhC6Hj78fZb5Jbb1jLY6kMDOqHF2wfVs0jwGy1797BeFUI/TZv0l2T71ir1InU8u6FpccXBoKgS2xQW+Z4nX90eAm7BaqVZCxAjdvQlr38gCjM0ehWZcKOoNcb3qbwgDGmylzqkLscZQbc6EZG7cLgVHqyjBGgFH4VNEWeSXMw9/zxXYhLWzM3GjB4R/22wQeH2CzcxjX4Yht8zP617EurLRXiAHQXhcihOPIYfAJ4j1FH/qYnfwho6Kt2ml67tzT3DFqNOXgoXkUMeFhzxT5exbw840kLDNzVvY3NwwtcjvhuDYSU5czf29NfBTKIszpMIyMrawrk23zJ4g/iQdzTbrj0DZ2TloJ6GYsCW/cJF+pQVEwKeiYBSTywyf3ty8rbyiLs7kaMNRQn7dVdt2jEJJ5cSmGISntk7Ut5b+XWYzhDOR2fgNO2BJAlygE8Euk8En2tMNcCtHjJiIV37GvmLFV9t6yBD5ijzssXA9dZRdWzpwmPy8otD7/Sv0sbQBued0yger1+3UV+m0C0G6x8HoWxdBBlVLHZC901Qie6iTXwChCUfXWuCxiYoE1A8TV0bMLuSEs5XY4g3/80Q2N7cGYYfeU1mDuLvI+b1EQsc8gTphBRqAUSMmViiLIDZ0n4wFfmRNxHB61My9O6p9ewfinkkGaj4jpJMtAOWiCiRfCA9cGzF2LDX/7B/OZyBKF3');
CREATE TABLE "kept_tests" ("key" text primary key, "tested_at" bigint not null, "tested_by" text, "success" boolean not null, "message" text not null, "duration_ms" bigint not null, "stage" text);
INSERT INTO "kept_tests" VALUES('zKgepkMgKo7T9O-WjR55xX8ZSOqtrfrfL5vxpew54Hw',1795855733761,'Admin',1,'Captured, not sent: /api/inbox/2.',18,NULL);
CREATE TABLE "limit_usage" ("key" text primary key, "state" text not null);
INSERT INTO "limit_usage" VALUES('limit:1','{"second":{"holders":[],"resting":[]},"windows":{"month":{"start":1793491200000,"used":3}}}');
CREATE TABLE "limits" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "description" text, "transports" text not null, "per_second" bigint, "per_minute" bigint, "per_hour" bigint, "per_day" bigint, "per_month" bigint, "connections_max" bigint, "warm_up" text, "overflow" text not null);
INSERT INTO "limits" VALUES(1,1,1795855734238,NULL,'Admin',1,NULL,NULL,1,'account','Account',NULL,'[1]',NULL,NULL,NULL,NULL,1000,NULL,NULL,'queue');
CREATE TABLE "login_sessions" ("hash" text primary key, "user_id" bigint not null references "users" ("id") on delete cascade, "expires_at" bigint not null);
CREATE TABLE "mautic_domains" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "domain" text not null, "applied_to" bigint default 0 not null, constraint "mautic_domains_key" primary key ("mautic_id", "domain"));
CREATE TABLE "mautic_email_transports" ("transport_id" bigint references "transports" ("id") on delete set null, "use_owner_transport" boolean not null, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "email_id" bigint not null, "deleted_transport_id" bigint, constraint "mautic_email_transports_key" primary key ("mautic_id", "email_id"));
CREATE TABLE "mautic_emails" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "name" text not null, "subject" text not null, "is_published" boolean not null, "date_added" bigint, "date_modified" bigint, "search_text" text not null, "subject_key" text, constraint "mautic_emails_key" primary key ("mautic_id", "id"));
CREATE TABLE "mautic_events" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "hash" text not null, "created_at" bigint not null, constraint "mautic_events_key" primary key ("mautic_id", "hash"));
CREATE TABLE "mautic_list_entries" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "contact_id" bigint not null, "address_key" text not null, "reason" bigint not null, "added_at" bigint not null, "seq" bigint not null, "is_reported" boolean not null, "missing_since" bigint, constraint "mautic_list_entries_key" primary key ("mautic_id", "id", "contact_id"));
CREATE TABLE "mautic_list_removals" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "address_key" text not null, "removed_at" bigint not null, constraint "mautic_list_removals_key" primary key ("mautic_id", "address_key"));
CREATE TABLE "mautic_lists" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "seq" bigint default 0 not null, "after_id" bigint, "started_at" bigint, "read_at" bigint, "address_after" bigint default 0 not null, "held" bigint default 0 not null);
CREATE TABLE "mautic_refusal_marks" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "purpose" text not null, "reached_at" bigint not null, constraint "mautic_refusal_marks_key" primary key ("mautic_id", "purpose"));
CREATE TABLE "mautic_reports" ("id" integer primary key autoincrement, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "contact_id" bigint, "address" text not null, "address_key" text not null, "email_id" bigint, "reason" bigint not null, "comments" text not null, "state" text not null, "attempts" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "problem" text, "is_removal" boolean default false not null, constraint "mautic_reports_key" unique ("mautic_id", "address_key", "reason"));
CREATE TABLE "mautic_sends" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "hash" text not null, "email_id" bigint, "contact_id" bigint, "address_key" text not null, "created_at" bigint not null, constraint "mautic_sends_key" primary key ("mautic_id", "hash"));
CREATE TABLE "mautic_states" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "polled_at" bigint, "synchronized_at" bigint, "due_at" bigint not null, "claimed_until" bigint, "problem" text, "problem_since" bigint, "is_reinstalled" boolean not null);
INSERT INTO "mautic_states" VALUES(1,NULL,NULL,1795855794965,NULL,'Nothing answers at 127.0.0.1:1 (connection refused). Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.',1795855734965,0);
CREATE TABLE "mautic_user_transports" ("transport_id" bigint not null references "transports" ("id") on delete cascade, "mautic_id" bigint not null references "mautics" ("id") on delete cascade, "user_id" bigint not null, constraint "mautic_user_transports_key" primary key ("mautic_id", "user_id"));
CREATE TABLE "mautic_users" ("mautic_id" bigint not null references "mautics" ("id") on delete cascade, "id" bigint not null, "username" text not null, "email" text not null, "email_key" text not null, "first_name" text not null, "last_name" text not null, "is_published" boolean not null, "date_added" bigint, "date_modified" bigint, "search_text" text not null, constraint "mautic_users_key" primary key ("mautic_id", "id"));
CREATE TABLE "mautic_webhooks" ("mautic_id" bigint not null primary key references "mautics" ("id") on delete cascade, "hook_id" bigint not null, "url" text not null, "announces_messages" boolean not null, "accepts_unproven" boolean not null, "is_by_user" boolean not null, "replaced_at" bigint, "problem" text, "problem_since" bigint);
CREATE TABLE "mautics" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null unique, "url" text not null, "client_id" text, "secret" text not null, "username" text, "transport_id" bigint references "transports" ("id") on delete set null, "smtp_mode" text, "hosts" text not null, "role_map" text not null, "is_reporting" boolean not null, "smtp_login" text not null unique, "smtp_password_hash" text not null, "webhook_secret" text, "refusals_to" text, "is_tagging" boolean default false not null);
INSERT INTO "mautics" VALUES(1,1,1795855734716,NULL,'Admin',1,NULL,NULL,1,'shop
http://127.0.0.1:1','shop','http://127.0.0.1:1','id','9455b433.K+qTDq4RpYdxzxB0eXYnlEPMmIQcjlnEvg+4ESzeHbNkQw==',NULL,NULL,'queue','[]','{}',1,'cce29ac8f63c50e2929a166aa0095e78','c16596c456a30c9e8a9ce147b7c35d10a586e244c9d340e2e81cd6a969ec11c8',NULL,NULL,0);
CREATE TABLE "migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
INSERT INTO "migration_lock" VALUES('migration_lock',0);
CREATE TABLE "migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
INSERT INTO "migrations" VALUES('20261123_00_data_keys','2026-11-28T08:48:52.740Z');
INSERT INTO "migrations" VALUES('20261123_01_auth','2026-11-28T08:48:52.753Z');
INSERT INTO "migrations" VALUES('20261123_02_emails','2026-11-28T08:48:52.754Z');
INSERT INTO "migrations" VALUES('20261123_03_contacts','2026-11-28T08:48:52.755Z');
INSERT INTO "migrations" VALUES('20261123_04_transports','2026-11-28T08:48:52.760Z');
INSERT INTO "migrations" VALUES('20261123_05_inbox','2026-11-28T08:48:52.761Z');
INSERT INTO "migrations" VALUES('20261123_06_twig_templates','2026-11-28T08:48:52.762Z');
INSERT INTO "migrations" VALUES('20261123_07_assignments','2026-11-28T08:48:52.763Z');
INSERT INTO "migrations" VALUES('20261123_08_delivery','2026-11-28T08:48:52.776Z');
INSERT INTO "migrations" VALUES('20261123_09_limits','2026-11-28T08:48:52.777Z');
INSERT INTO "migrations" VALUES('20261123_09_suppressions','2026-11-28T08:48:52.778Z');
INSERT INTO "migrations" VALUES('20261123_10_mautics','2026-11-28T08:48:52.788Z');
INSERT INTO "migrations" VALUES('20261123_12_mautic_assignments','2026-11-28T08:48:52.789Z');
INSERT INTO "migrations" VALUES('20261124_30_account_search','2026-11-28T08:48:52.790Z');
INSERT INTO "migrations" VALUES('20261124_30_contact_search','2026-11-28T08:48:52.791Z');
INSERT INTO "migrations" VALUES('20261124_30_email_search','2026-11-28T08:48:52.792Z');
INSERT INTO "migrations" VALUES('20261124_30_inbox_search','2026-11-28T08:48:52.793Z');
INSERT INTO "migrations" VALUES('20261124_30_limit_search','2026-11-28T08:48:52.794Z');
INSERT INTO "migrations" VALUES('20261124_30_mautic_search','2026-11-28T08:48:52.795Z');
INSERT INTO "migrations" VALUES('20261124_30_suppression_search','2026-11-28T08:48:52.796Z');
INSERT INTO "migrations" VALUES('20261124_30_template_search','2026-11-28T08:48:52.797Z');
INSERT INTO "migrations" VALUES('20261124_30_transport_search','2026-11-28T08:48:52.798Z');
INSERT INTO "migrations" VALUES('20261124_41_public_only','2026-11-28T08:48:52.799Z');
INSERT INTO "migrations" VALUES('20261124_50_deleted_records','2026-11-28T08:48:52.800Z');
INSERT INTO "migrations" VALUES('20261124_51_deleted_template_versions','2026-11-28T08:48:52.801Z');
INSERT INTO "migrations" VALUES('20261124_61_twig_template_names','2026-11-28T08:48:52.802Z');
INSERT INTO "migrations" VALUES('20261124_70_default_transport','2026-11-28T08:48:52.803Z');
INSERT INTO "migrations" VALUES('20261124_71_broadcast_brake','2026-11-28T08:48:52.804Z');
INSERT INTO "migrations" VALUES('20261124_72_queue_brakes','2026-11-28T08:48:52.807Z');
INSERT INTO "migrations" VALUES('20261124_72_queue_permissions','2026-11-28T08:48:52.808Z');
INSERT INTO "migrations" VALUES('20261124_73_suppression_evidence','2026-11-28T08:48:52.809Z');
INSERT INTO "migrations" VALUES('20261124_74_report_removals','2026-11-28T08:48:52.810Z');
INSERT INTO "migrations" VALUES('20261124_75_grant_times','2026-11-28T08:48:52.811Z');
INSERT INTO "migrations" VALUES('20261124_76_queue_transports','2026-11-28T08:48:52.812Z');
INSERT INTO "migrations" VALUES('20261124_77_queue_notices','2026-11-28T08:48:52.813Z');
INSERT INTO "migrations" VALUES('20261124_90_inbox_pieces','2026-11-28T08:48:52.821Z');
INSERT INTO "migrations" VALUES('20261124_91_deleted_transports','2026-11-28T08:48:52.825Z');
INSERT INTO "migrations" VALUES('20261124_94_route_repairs','2026-11-28T08:48:52.827Z');
INSERT INTO "migrations" VALUES('20261124_94_route_repairs_triggers','2026-11-28T08:48:52.832Z');
INSERT INTO "migrations" VALUES('20261125_10_own_webhooks','2026-11-28T08:48:52.833Z');
INSERT INTO "migrations" VALUES('20261125_12_do_not_contact','2026-11-28T08:48:52.836Z');
INSERT INTO "migrations" VALUES('20261125_14_mautic_subjects','2026-11-28T08:48:52.837Z');
INSERT INTO "migrations" VALUES('20261125_20_refusals','2026-11-28T08:48:52.843Z');
INSERT INTO "migrations" VALUES('20261125_21_delivery_refusals','2026-11-28T08:48:52.844Z');
INSERT INTO "migrations" VALUES('20261126_10_refresh_tokens','2026-11-28T08:48:52.845Z');
INSERT INTO "migrations" VALUES('20261126_15_deferred','2026-11-28T08:48:52.851Z');
INSERT INTO "migrations" VALUES('20261126_16_logged_transport','2026-11-28T08:48:52.852Z');
INSERT INTO "migrations" VALUES('20261126_17_broadcast_state','2026-11-28T08:48:52.862Z');
INSERT INTO "migrations" VALUES('20261126_20_mirror_leases','2026-11-28T08:48:52.870Z');
INSERT INTO "migrations" VALUES('20261126_30_broadcasts_in_queue','2026-11-28T08:48:52.882Z');
INSERT INTO "migrations" VALUES('20261126_40_subjects','2026-11-28T08:48:52.891Z');
INSERT INTO "migrations" VALUES('20261126_41_kept_tests','2026-11-28T08:48:52.892Z');
INSERT INTO "migrations" VALUES('20261127_10_provider_events','2026-11-28T08:48:52.904Z');
INSERT INTO "migrations" VALUES('20261127_11_received_events','2026-11-28T08:48:52.906Z');
INSERT INTO "migrations" VALUES('20261127_20_transport_webhooks','2026-11-28T08:48:52.911Z');
INSERT INTO "migrations" VALUES('20261127_30_webhooks','2026-11-28T08:48:52.919Z');
INSERT INTO "migrations" VALUES('20261127_40_event_brakes','2026-11-28T08:48:52.927Z');
INSERT INTO "migrations" VALUES('20261127_41_signals','2026-11-28T08:48:52.928Z');
INSERT INTO "migrations" VALUES('20261128_10_dkim_keys','2026-11-28T08:48:52.931Z');
INSERT INTO "migrations" VALUES('20261128_30_senders','2026-11-28T08:48:52.932Z');
CREATE TABLE "oauth_clients" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "client_id" text not null unique, "secret_hash" text not null, "redirect_uris" text not null, "grant_types" text not null, "role_id" bigint references "roles" ("id"), "smtp_mode" text);
INSERT INTO "oauth_clients" VALUES(1,1,1795855734209,NULL,'Admin',1,NULL,NULL,1,'ci','ci','f8b1ca61353bf5619b3ed5bd9e2e3831','63bd38c595b460e590e4f6fdc10b157ce37a09019ec48d53c934b559363b77a0','[]','["client_credentials"]',2,NULL);
CREATE TABLE "oauth_codes" ("hash" text primary key, "family" text not null, "client_id" bigint not null references "oauth_clients" ("id") on delete cascade, "user_id" bigint references "users" ("id") on delete cascade, "expires_at" bigint not null, "used_at" bigint, "redirect_uri" text not null, "code_challenge" text, "code_challenge_method" text, "created_at" bigint);
CREATE TABLE "oauth_tokens" ("hash" text primary key, "family" text not null, "client_id" bigint not null references "oauth_clients" ("id") on delete cascade, "user_id" bigint references "users" ("id") on delete cascade, "expires_at" bigint not null, "used_at" bigint, "kind" text not null, "created_at" bigint);
CREATE TABLE "password_links" ("hash" text primary key, "user_id" bigint not null references "users" ("id") on delete cascade, "expires_at" bigint not null);
INSERT INTO "password_links" VALUES('0e7977c4e0ac3798f16ffc0bdae5f5f043a0e1e276d435376571ed54dabd6490',1,1795942132962);
CREATE TABLE "queue_brakes" ("id" integer primary key autoincrement, "mautic_id" bigint default 0 not null, "sender_domain" text not null, "transport_id" bigint not null, "brake_attempts" bigint default 0 not null, "brake_refused" bigint default 0 not null, "braked_at" bigint, "counted_at" bigint not null, brake_kind text, brake_events bigint, brake_accepted bigint, continued_at bigint, constraint "queue_brakes_once" unique ("mautic_id", "sender_domain", "transport_id"));
CREATE TABLE "queue_holds" ("transport_id" bigint not null primary key, "held_by" text not null, "held_at" bigint not null);
CREATE TABLE "queue_messages" ("id" integer primary key autoincrement, "created_at" bigint not null, "expires_at" bigint not null, "lane" text not null, "caller" text not null, "submitter" text not null, "sender" text not null, "notification" text, "deliver_by" text, "message_id" text, "mautic_id" bigint default 0 not null, "email_id" bigint, "contact_id" bigint, "rendered" text, "size_bytes" bigint not null, "key_id" text not null, "body" blob not null, broadcast_id bigint, is_paused boolean not null default false, subject text);
INSERT INTO "queue_messages" VALUES(1,1795855735034,9007199254740991,'bulk','Admin','','news@brand.example',NULL,NULL,NULL,0,1,NULL,NULL,0,'',X'',1,0,NULL);
INSERT INTO "queue_messages" VALUES(2,1795855735174,9007199254740991,'bulk','Admin','','news@brand.example',NULL,NULL,NULL,0,2,NULL,NULL,0,'',X'',2,0,NULL);
INSERT INTO "queue_messages" VALUES(3,1795855735240,9007199254740991,'bulk','Admin','','news@brand.example',NULL,NULL,NULL,0,3,NULL,NULL,0,'',X'',3,1,NULL);
INSERT INTO "queue_messages" VALUES(4,1795855735619,1795942135619,'transactional','Admin','{"key":"user 1","name":"Admin","canViewTemplates":true,"canViewContacts":true}','shop@brand.example','{"return":"HDRS","envelopeId":"e1","recipients":{"waits@example.com":{"notify":"SUCCESS,FAILURE,DELAY","originalRecipient":"rfc822;waits@example.com"}}}',NULL,'<waits@brand.example>',0,NULL,NULL,NULL,143,'9455b433',X'17BE1DC1357B36E402BDDDE0AF79FDC55C944F039E16810BD0719A278C02AFD037527B2DE65F4CF80138A2459D6AE76602957A8D691958F2E652AE70AE23CACA7DEED3C7C6AB9B21F358097F9182EEB42043A8070D00C394DFE0292E3489E3E92AAE4C0E4F5E80C66D1AAC51872F4F0F2A95FBC72E71DE9BCED7D2DD3090A32A1C433C04DC134967479B402A49A693F8FF9619082AC79CA7A376D59B974085814CB5FA80A20C74CA31D210',NULL,0,'Waits');
CREATE TABLE "queue_notices" ("id" integer primary key autoincrement, "message_id" bigint not null, "status" text not null, "created_at" bigint not null);
CREATE TABLE "queue_recipients" ("id" integer primary key autoincrement, "message_id" bigint not null, "address" text not null, "address_key" text not null, "state" text not null, "lane" text not null, "transport_id" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "attempts" bigint not null, "claimed_by" text, "problem" text, "message_key" text not null unique, "bulk_key" text unique, brake_id bigint, waits_for bigint, contact_id bigint, broadcast_id bigint, expires_at bigint);
INSERT INTO "queue_recipients" VALUES(3,2,'c0@example.com','c0@example.com','queued','bulk',2,1795855760879,1795855735184,1,NULL,'451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 1',NULL,NULL,2,1,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(4,2,'c1@example.com','c1@example.com','queued','bulk',2,1795855767780,1795855735184,1,NULL,'451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 2',NULL,NULL,2,2,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(5,2,'c2@example.com','c2@example.com','queued','bulk',2,1795855768326,1795855735184,1,NULL,'451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 3',NULL,NULL,2,3,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(6,2,'c3@example.com','c3@example.com','queued','bulk',2,1795855761852,1795855735184,1,NULL,'451 4.3.0 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 4',NULL,NULL,2,4,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(7,2,'c4@example.com','c4@example.com','queued','bulk',2,1795855740887,1795855735184,0,NULL,'451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 5',NULL,NULL,2,5,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(8,2,'c5@example.com','c5@example.com','queued','bulk',2,1795855740887,1795855735184,0,NULL,'451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).','email 2.0 contact 6',NULL,NULL,2,6,2,1796114935184);
INSERT INTO "queue_recipients" VALUES(9,3,'c0@example.com','c0@example.com','paused','bulk',-1,1795855735247,1795855735247,0,NULL,NULL,'email 3.0 contact 1',NULL,NULL,NULL,1,3,1796114935247);
INSERT INTO "queue_recipients" VALUES(10,4,'waits@example.com','waits@example.com','queued','transactional',2,1795855740887,1795855735619,0,NULL,'451 4.3.2 Nothing answers at 127.0.0.1:1 (connection refused).','6WIKMbx4lgFRLzAm7rDfQR1S9YgfoyzJkIlaHKyBBok=',NULL,NULL,2,NULL,NULL,NULL);
CREATE TABLE queue_size (bytes integer not null);
INSERT INTO "queue_size" VALUES(143);
CREATE TABLE "received_events" ("id" integer primary key autoincrement, "transport_id" bigint, "provider" text not null, "received_at" bigint not null, "due_at" bigint not null, "attempts" bigint default 0 not null, "size" bigint not null, "events" text not null);
CREATE TABLE "refresh_tokens" ("grant_key" text primary key, "sealed_token" text not null, "rotated_at" bigint not null);
CREATE TABLE "roles" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "description" text, "is_admin" boolean not null, "permissions" text not null);
INSERT INTO "roles" VALUES(1,1,1795855732960,NULL,'Mailyard',NULL,NULL,NULL,1,'administrator','Administrator','All permissions.',1,'{}');
INSERT INTO "roles" VALUES(2,1,1795855734127,NULL,'Admin',1,NULL,NULL,1,'sender','Sender',NULL,0,'{"email":["view","send"],"contact":["view"]}');
CREATE TABLE "route_repairs" ("id" integer primary key autoincrement, "waits_for" bigint not null, "mautic_id" bigint);
CREATE TABLE "sender_checks" ("domain" text not null, "transport_id" bigint not null, "verdict" text, "sentence" text, "details" text, "dmarc" text, "policy" text, "checked_at" bigint not null, "fresh_until" bigint default 0 not null, "claimed_until" bigint not null, "dsn_key" text, constraint "sender_checks_key" primary key ("domain", "transport_id"));
CREATE TABLE "sender_proofs" ("domain" text not null, "transport_id" bigint not null, "member" text not null, "verdict" text not null, "sentence" text not null, "message_id" text not null, "evidence" text not null, "added_at" bigint not null, "dsn_key" text, constraint "sender_proofs_key" primary key ("domain", "transport_id", "member"));
CREATE TABLE "sender_uses" ("domain" text not null, "transport_id" bigint not null, "mautic_id" bigint not null, "last_used_at" bigint not null, "other_envelope" text, "other_envelope_at" bigint, constraint "sender_uses_key" primary key ("domain", "transport_id", "mautic_id"));
INSERT INTO "sender_uses" VALUES('brand.example',1,0,1795855735006,NULL,NULL);
INSERT INTO "sender_uses" VALUES('brand.example',2,0,1795855735288,NULL,NULL);
CREATE TABLE "signals" ("key" text not null primary key, "at" bigint not null, "ended_at" bigint);
CREATE TABLE "signing_keys" ("purpose" text primary key, "sealed" text not null);
INSERT INTO "signing_keys" VALUES('links','9455b433.HQmam0EEd3UMjcWsn6Vg2y9R0+48oa/NAjhqloGLZ/BajXnCFM3ijwY+lQr41Insg4DIpAPGGwJL0m8zYjI+bNL5cwzfQ5H8');
INSERT INTO "signing_keys" VALUES('kept tests','9455b433.OGGTiYzcLGKzsiRGye3fWdJa30jlurIUMpKLFO0SRoQVKcKpGEkJ+mjWW/hg2UL0Zk3ufWJOr4Vx8vgZVJCahTIKqABxBjtk');
INSERT INTO "signing_keys" VALUES('test messages','9455b433.ELmoCXA77F8caUd/393cspE1bFCeiPM3R/Uq8iuvwhnQzo7zRn1p9Zo5d2XDVSDaUzXtjtjbFTKQt5z+O5knvOW7Tig1U00I');
CREATE TABLE "suppressions" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "address" text not null, "address_key" text not null, "sender_domain" text, "identity_key" text not null, "reason" text not null, "source" text, "transport_id" bigint, "broadcast_id" bigint, "delivery_id" bigint);
INSERT INTO "suppressions" VALUES(1,1,1795855734268,NULL,'Admin',1,NULL,NULL,1,'gone@example.com','gone@example.com','gone@example.com',NULL,' gone@example.com','bounced',NULL,NULL,NULL,NULL);
CREATE TABLE "transport_tests" ("transport_id" bigint primary key references "transports" ("id") on delete cascade, "tested_at" bigint not null, "tested_by" text, "success" boolean not null, "message" text not null, "duration_ms" bigint not null, "stage" text);
INSERT INTO "transport_tests" VALUES(1,1795855733723,'Admin',1,'Captured, not sent: /api/inbox/1.',70,NULL);
CREATE TABLE "transport_webhooks" ("transport_id" bigint not null, "provider" text not null, "secret" text not null, "signing_key" text, "pinned" text, "created_at" bigint not null, "last_event_at" bigint, "problem" text, "problem_at" bigint, "delivered" bigint default 0 not null, "deferred" bigint default 0 not null, "bounced" bigint default 0 not null, "complained" bigint default 0 not null, "unsubscribed" bigint default 0 not null, "rejected" bigint default 0 not null, "ignored" bigint default 0 not null, "unknown" bigint default 0 not null, "refused" bigint default 0 not null, constraint "transport_webhooks_key" primary key ("transport_id", "provider"));
INSERT INTO "transport_webhooks" VALUES(4,'postmark','9455b433.6P3pYKSpEkHo9qZfck7/7eVCh3VCWDnU6tffF5lkJKqgPSo2AgE7KTGYIlApU4z19qu+wuu776UJJ98R',NULL,NULL,1795855734761,NULL,NULL,NULL,0,0,0,0,0,0,0,0,0);
CREATE TABLE "transports" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "name_key" text not null, "description" text, "mailer_dsn" text not null, "tested_email_from" text, "mautic_id" bigint, "is_public_only" boolean default false not null);
INSERT INTO "transports" VALUES(1,1,1795855733510,NULL,'Admin',1,NULL,NULL,1,'inbox','Inbox','inbox',NULL,'9455b433.4cliMicFrZuKN79oT2NqYziQNXCDvWkSpzUe4esiYJ5ExrGZjiIobrI=','hello@example.com',NULL,0);
INSERT INTO "transports" VALUES(2,1,1795855733595,NULL,'Admin',1,NULL,NULL,1,'closed','Closed','closed',NULL,'9455b433.nWS4XeTXQLytZ2zl9G++2R1oMnBunkHCH9tM6uXk5s8ZChQYgnice9tWaYqZKfGgIyrIvfwfdxVnoQ==',NULL,NULL,0);
INSERT INTO "transports" VALUES(4,1,1795855734742,NULL,'Admin',1,NULL,NULL,1,'postmark','Postmark','postmark',NULL,'9455b433.YLu1fJIOVUCgtNV7Uke+CIQAwDPdz5+txVskh9c57srNT/IhOrnP8yTuDcxlcRMTS5iimt4Uwnhn',NULL,NULL,0);
CREATE TABLE "twig_template_versions" ("template_id" bigint not null references "twig_templates" ("id") on delete cascade, "version" bigint not null, "name" text not null, "description" text, "template" text not null, "saved_at" bigint not null, "saved_by" text not null, "note" text, constraint "twig_template_versions_key" primary key ("template_id", "version"));
INSERT INTO "twig_template_versions" VALUES(1,1,'Greeting',NULL,'Dear {{ contact.firstname }}',1795855733793,'Admin',NULL);
INSERT INTO "twig_template_versions" VALUES(1,2,'Greeting',NULL,'Dear {{ contact.firstname|default("friend") }}',1795855733861,'Admin',NULL);
CREATE TABLE "twig_templates" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "name_key" text not null, "description" text, "template" text not null, "refers_to" text not null, "mautic_id" bigint);
INSERT INTO "twig_templates" VALUES(1,1,1795855733793,1795855733861,'Admin',1,'Admin',1,2,'greeting','Greeting','greeting',NULL,'Dear {{ contact.firstname|default("friend") }}','[]',NULL);
CREATE TABLE "user_transports" ("transport_id" bigint not null references "transports" ("id") on delete cascade, "user_id" bigint primary key references "users" ("id") on delete cascade);
INSERT INTO "user_transports" VALUES(1,2);
CREATE TABLE "users" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "username" text not null, "username_key" text not null unique, "username_skeleton" text not null, "email" text not null, "email_key" text not null unique, "first_name" text not null, "last_name" text not null, "password_hash" text not null, "role_id" bigint not null references "roles" ("id"), "smtp_mode" text);
INSERT INTO "users" VALUES(1,1,1795855732960,NULL,'Mailyard',NULL,NULL,NULL,1,'admin
admin
admin@localhost','admin','admin','adrnin','admin@localhost','admin@localhost','Admin','','$argon2id$v=19$m=8,t=1,p=1$W6mT0V6UANB+0aj5dB9Vjg$T3s5+KD9tlFkNAYYol6gb6jxGaOG5acN4wo7CFfG8Ng',1,NULL);
INSERT INTO "users" VALUES(2,1,1795855734147,NULL,'Admin',1,NULL,NULL,1,'jane
doe
jane
jane@example.com','jane','jane','jane','jane@example.com','jane@example.com','Jane','Doe','$argon2id$v=19$m=8,t=1,p=1$4M0XGpttuCo34358mPJIdA$s5XYC1ZRvoqHNKPPjI8Wifg6w9BB8CrBpe8jF8hLBco',2,NULL);
CREATE TABLE "webhook_alerts" ("webhook_id" bigint not null references "webhooks" ("id") on delete cascade, "type" text not null, "cause" text not null, "message_id" text, "sent_at" bigint not null, "left_out" bigint not null, constraint "webhook_alerts_key" primary key ("webhook_id", "type", "cause"));
CREATE TABLE "webhook_messages" ("id" integer primary key autoincrement, "webhook_id" bigint not null, "message_id" text not null, "type" text not null, "cause" text not null, "events" bigint not null, "body" text not null, "state" text not null, "attempts" bigint not null, "due_at" bigint not null, "created_at" bigint not null, "problem" text);
INSERT INTO "webhook_messages" VALUES(1,1,'msg_34e532e6bf684ee68667267895d1fe5e','delivery.accepted','transport 1',1,'{"type":"delivery.accepted","timestamp":"2026-11-28T08:48:55+00:00","data":{"deliveryId":1,"recipient":"c0@example.com","sender":"news@brand.example","source":"api","transportId":1,"transport":"Inbox","emailId":1,"contactId":1,"broadcastId":null,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/3","reason":null,"messageId":"<97841a53-f5da-4261-be3a-af1a022d2a40@brand.example>","providerId":"3"}}','queued',1,1795855740446,1795855735011,'The host "shop.example" was not found. Check the host name.');
INSERT INTO "webhook_messages" VALUES(2,1,'msg_25eff85488054e858f449411f0c58112','delivery.accepted','transport 1',1,'{"type":"delivery.accepted","timestamp":"2026-11-28T08:48:55+00:00","data":{"deliveryId":2,"recipient":"c1@example.com","sender":"news@brand.example","source":"broadcast","transportId":1,"transport":"Inbox","emailId":1,"contactId":2,"broadcastId":1,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/4","reason":null,"messageId":"<558db5813ef82dc15fbeb2f081ab2d255292bf36@brand.example>","providerId":"4"}}','queued',0,1795855735122,1795855735122,NULL);
INSERT INTO "webhook_messages" VALUES(3,1,'msg_63504674540742a590ed639a984d76ee','delivery.accepted','transport 1',1,'{"type":"delivery.accepted","timestamp":"2026-11-28T08:48:55+00:00","data":{"deliveryId":3,"recipient":"c2@example.com","sender":"news@brand.example","source":"broadcast","transportId":1,"transport":"Inbox","emailId":1,"contactId":3,"broadcastId":1,"mautic":null,"outcome":"accepted","reply":"250 Captured, not sent: /api/inbox/5","reason":null,"messageId":"<5d70610b5bac6106a311f53905b0987ada65c7ce@brand.example>","providerId":"5"}}','queued',0,1795855735134,1795855735134,NULL);
CREATE TABLE "webhook_states" ("webhook_id" bigint primary key references "webhooks" ("id") on delete cascade, "last_success_at" bigint, "failing_since" bigint, "dead_at" bigint, "problem" text);
INSERT INTO "webhook_states" VALUES(1,NULL,1795855735034,NULL,'The host "shop.example" was not found. Check the host name.');
CREATE TABLE "webhook_tokens" ("hash" text primary key, "received_at" bigint not null) without rowid;
CREATE TABLE "webhooks" ("id" integer primary key autoincrement, "is_published" boolean not null, "date_added" bigint not null, "date_modified" bigint, "created_by" text, "created_by_id" bigint, "modified_by" text, "modified_by_id" bigint, "revision" bigint not null, "search_text" text not null, "name" text not null, "events" text not null, "format" text not null, "url" text, "email_to" text, "transport_id" bigint references "transports" ("id") on delete set null, "secret" text, "old_secret" text, "old_secret_until" bigint);
INSERT INTO "webhooks" VALUES(1,1,1795855734287,NULL,'Admin',1,NULL,NULL,1,'shop
shop.example','Shop','["delivery.accepted","transport.failover","brake.applied"]','standard','9455b433./6TK0IeEZ9eQAI7js0DZKr6ErEe29HdPXusjjfiZ7H2UWrvBX9mU4ZliWQetqTbggOMKJoQ=',NULL,NULL,'9455b433.GcRf/osR+rdUAvGmIeNPkKyt1kgd78HyuooQWMWo6VhkBElSfaviCr7fUTR+Gjc9/wkCZypW2d6fwFQVHwrpHcf042Q3jLIulLmxxeiJ',NULL,NULL);
INSERT INTO "webhooks" VALUES(2,1,1795855734307,NULL,'Admin',1,NULL,NULL,1,'alerts
ops@example.com','Alerts','["webhook.dead"]','email',NULL,'ops@example.com',1,'9455b433.OVuQMQNVhZ/lbMoYo3GoggokeUnk9Xl6xKA7Oj6qtGBOkSn8CwTEzK/pBy8H+f/TbMhEQzDPeRHmD+eQWtPIH0ieuCDhji1b6RDLtrSI',NULL,NULL);
INSERT INTO "webhooks" VALUES(3,1,1795855734316,NULL,'Admin',1,NULL,NULL,1,'team
chat.example','Team','["transport.down"]','chat','9455b433.Q0agvDx3IZjPNtIIlcxZKwgOpWELG0R7juWmsT+WVzxHrNtmsCssBCoaaI/PAK2MYXcSfhA=',NULL,NULL,'9455b433.eEo1Pc/Jpu3n7V2dEtFJI6FgChPIf1/1kDEqgQdvZzdqhQl4Rjc4hyByUD0jvq+EC/JzqBVcTuBlQnTUxSYSMILUcyxWT4kHLCWGzVbz',NULL,NULL);
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
CREATE INDEX "console_sessions_user_id" on "console_sessions" ("user_id");
CREATE INDEX "password_links_user_id" on "password_links" ("user_id");
CREATE INDEX emails_naming_transport on emails (id)
      where lower(headers) like '%x-mailyard-transport%';
CREATE UNIQUE INDEX "contacts_email_key" on "contacts" ("email_key");
CREATE INDEX "contacts_owner_id" on "contacts" ("owner_id");
CREATE INDEX "contact_segments_contact_id" on "contact_segments" ("contact_id");
CREATE INDEX "transports_name_key_id" on "transports" ("name_key", "id");
CREATE INDEX transports_name_order on transports (lower(coalesce(name, '')), id);
CREATE INDEX "inbox_messages_captured_at" on "inbox_messages" ("captured_at");
CREATE INDEX "email_transports_transport_id" on "email_transports" ("transport_id");
CREATE INDEX "user_transports_transport_id" on "user_transports" ("transport_id");
CREATE INDEX "deliveries_broadcast_id"
    on deliveries ("broadcast_id", started_at) where broadcast_id is not null;
CREATE INDEX "deliveries_transport_id"
    on deliveries ("transport_id", started_at) where transport_id is not null;
CREATE INDEX "deliveries_member"
    on deliveries ("member", started_at) where member is not null;
CREATE INDEX "deliveries_contact_id"
    on deliveries ("mautic_id", "contact_id", started_at) where contact_id is not null;
CREATE INDEX "deliveries_email_id"
    on deliveries ("mautic_id", "email_id", started_at) where email_id is not null;
CREATE INDEX "deliveries_mautic_id"
    on deliveries ("mautic_id", started_at) where mautic_id <> 0;
CREATE INDEX "deliveries_recipient_key"
    on deliveries ("recipient_key", started_at);
CREATE INDEX "deliveries_source"
    on deliveries ("source", started_at);
CREATE INDEX deliveries_time on deliveries (started_at, id);
CREATE INDEX "delivery_keys_delivery" on "delivery_keys" ("kind", "started_at", "delivery_id");
CREATE INDEX delivery_keys_acknowledged_at on delivery_keys (acknowledged_at)
    where acknowledged_at is not null;
CREATE INDEX delivery_counts_transports
    on delivery_counts (outcome, started_at, transport_id) where span_ms = 3600000;
CREATE INDEX delivery_counts_empty on delivery_counts (started_at) where count = 0;
CREATE TRIGGER deliveries_count_1 after insert on deliveries for each row
        when (new.outcome <> 'started') begin insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change) values (new.started_at - new.started_at % 60000,
    coalesce(new.transport_id,
      case when new.transport is null then -1 else 0 end),
    new.source, new.outcome, 1); end;
CREATE TRIGGER deliveries_count_2 after delete on deliveries for each row
        when (old.outcome <> 'started') begin insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change) values (old.started_at - old.started_at % 60000,
    coalesce(old.transport_id,
      case when old.transport is null then -1 else 0 end),
    old.source, old.outcome, -1); end;
CREATE TRIGGER deliveries_count_3 after update of outcome on deliveries for each row
        when (old.outcome <> new.outcome and new.outcome <> 'started') begin insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change) values (new.started_at - new.started_at % 60000,
    coalesce(new.transport_id,
      case when new.transport is null then -1 else 0 end),
    new.source, new.outcome, 1); end;
CREATE TRIGGER deliveries_count_4 after update of outcome on deliveries for each row
        when (old.outcome <> new.outcome and old.outcome <> 'started') begin insert into delivery_count_changes
  (started_at, transport_id, source, outcome, change) values (old.started_at - old.started_at % 60000,
    coalesce(old.transport_id,
      case when old.transport is null then -1 else 0 end),
    old.source, old.outcome, -1); end;
CREATE INDEX "queue_recipients_due" on "queue_recipients" ("state", "transport_id", "lane", "due_at");
CREATE INDEX "queue_recipients_message_id" on "queue_recipients" ("message_id");
CREATE INDEX "queue_recipients_address_key" on "queue_recipients" ("address_key");
CREATE INDEX queue_recipients_claimed_by on queue_recipients (claimed_by)
    where claimed_by is not null;
CREATE TRIGGER queue_messages_added after insert on queue_messages for each row
         begin update queue_size set bytes = bytes + new.size_bytes; end;
CREATE TRIGGER queue_messages_removed after delete on queue_messages for each row
         begin update queue_size set bytes = bytes - old.size_bytes; end;
CREATE UNIQUE INDEX "suppressions_identity_key" on "suppressions" ("identity_key");
CREATE INDEX "suppressions_address_key" on "suppressions" ("address_key");
CREATE INDEX "mautic_emails_mautic_id_date_modified" on "mautic_emails" ("mautic_id", "date_modified");
CREATE INDEX "mautic_emails_mautic_id_date_added" on "mautic_emails" ("mautic_id", "date_added");
CREATE INDEX "mautic_users_mautic_id_email_key" on "mautic_users" ("mautic_id", "email_key");
CREATE INDEX "mautic_sends_created_at" on "mautic_sends" ("created_at");
CREATE INDEX "mautic_events_created_at" on "mautic_events" ("created_at");
CREATE INDEX "mautic_reports_mautic_id_state_due_at" on "mautic_reports" ("mautic_id", "state", "due_at");
CREATE INDEX "mautic_reports_state_due_at" on "mautic_reports" ("state", "due_at");
CREATE INDEX "mautic_email_transports_transport_id" on "mautic_email_transports" ("transport_id");
CREATE INDEX "mautic_user_transports_transport_id" on "mautic_user_transports" ("transport_id");
CREATE INDEX "deleted_records_of_kind" on "deleted_records" ("kind", "date_deleted", "id");
CREATE INDEX "deleted_records_by_date" on "deleted_records" ("date_deleted");
CREATE INDEX "twig_templates_names" on "twig_templates" ("name_key", "mautic_id", "is_published", "id");
CREATE INDEX queue_recipients_brake_id on queue_recipients (brake_id)
    where brake_id is not null;
CREATE INDEX "suppressions_transport_id" on suppressions ("transport_id")
        where "transport_id" is not null;
CREATE INDEX "suppressions_broadcast_id" on suppressions ("broadcast_id")
        where "broadcast_id" is not null;
CREATE INDEX "queue_notices_message_id" on "queue_notices" ("message_id");
CREATE INDEX "inbox_messages_complete" on "inbox_messages" ("is_complete", "id", "size_bytes");
CREATE INDEX "email_transports_deleted_transport_id" on "email_transports" ("deleted_transport_id");
CREATE INDEX "mautic_email_transports_deleted_transport_id" on "mautic_email_transports" ("deleted_transport_id");
CREATE INDEX queue_recipients_waits_for on queue_recipients (waits_for, id)
    where waits_for is not null;
CREATE TRIGGER transports_insert_repairs after insert on transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (new.id, null); end;
CREATE TRIGGER transports_update_repairs after update on transports for each row
        when (new.revision <> old.revision) begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (new.id, null); end;
CREATE TRIGGER transports_delete_repairs after delete on transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (old.id, null); end;
CREATE TRIGGER mautic_email_transports_insert_repairs after insert on mautic_email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (0, new.mautic_id); end;
CREATE TRIGGER mautic_email_transports_update_repairs after update on mautic_email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (coalesce(old.transport_id, 0), new.mautic_id); end;
CREATE TRIGGER mautic_email_transports_delete_repairs after delete on mautic_email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (coalesce(old.transport_id, 0), old.mautic_id); end;
CREATE TRIGGER email_transports_insert_repairs after insert on email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (0, 0); end;
CREATE TRIGGER email_transports_update_repairs after update on email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); end;
CREATE TRIGGER email_transports_delete_repairs after delete on email_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); end;
CREATE TRIGGER mautic_user_transports_insert_repairs after insert on mautic_user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (0, new.mautic_id); end;
CREATE TRIGGER mautic_user_transports_update_repairs after update on mautic_user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.mautic_id), (coalesce(old.transport_id, 0), new.mautic_id); end;
CREATE TRIGGER mautic_user_transports_delete_repairs after delete on mautic_user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, old.mautic_id), (coalesce(old.transport_id, 0), old.mautic_id); end;
CREATE TRIGGER user_transports_insert_repairs after insert on user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (0, 0); end;
CREATE TRIGGER user_transports_update_repairs after update on user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); end;
CREATE TRIGGER user_transports_delete_repairs after delete on user_transports for each row
         begin insert into route_repairs (waits_for, mautic_id)
        values (-1, 0), (coalesce(old.transport_id, 0), 0); end;
CREATE TRIGGER mautics_update_repairs after update on mautics for each row
        when (new.transport_id is distinct from old.transport_id) begin insert into route_repairs (waits_for, mautic_id)
        values (-1, new.id), (coalesce(old.transport_id, 0), new.id); end;
CREATE INDEX "mautic_list_entries_mautic_id_address_key" on "mautic_list_entries" ("mautic_id", "address_key");
CREATE INDEX "mautic_list_entries_mautic_id_seq" on "mautic_list_entries" ("mautic_id", "seq");
CREATE INDEX mautic_list_entries_missing on mautic_list_entries (mautic_id)
    where missing_since is not null;
CREATE INDEX "mautic_emails_subject_key" on "mautic_emails" ("mautic_id", "subject_key");
CREATE INDEX "refresh_tokens_rotated_at" on "refresh_tokens" ("rotated_at");
CREATE INDEX "deliveries_outcome"
    on deliveries ("outcome", started_at) where outcome = 'deferred' or outcome = 'refused' or outcome = 'uncertain' or outcome = 'suppressed' or outcome = 'expired' or outcome = 'cancelled' or outcome = 'started';
CREATE INDEX "deliveries_refusals"
    on deliveries ("mautic_id", started_at) where mautic_id <> 0 and not is_bounced
  and outcome in ('refused', 'uncertain', 'suppressed', 'expired', 'cancelled');
CREATE UNIQUE INDEX queue_messages_broadcast_id on queue_messages (broadcast_id)
    where broadcast_id is not null;
CREATE INDEX queue_recipients_broadcast_id on queue_recipients (broadcast_id, contact_id)
    where broadcast_id is not null;
CREATE INDEX deliveries_recipients on deliveries (broadcast_id, contact_id, started_at)
      where broadcast_id is not null;
CREATE INDEX broadcasts_state on broadcasts (state);
CREATE INDEX "deliveries_event"
    on deliveries ("event", started_at) where event is not null;
CREATE UNIQUE INDEX delivery_events_once
    on delivery_events (delivery_id, started_at, event_key);
CREATE INDEX "received_events_of_transport" on "received_events" ("transport_id", "due_at", "id", "size");
CREATE INDEX "received_events_due" on "received_events" ("due_at", "id");
CREATE INDEX "webhook_tokens_received_at" on "webhook_tokens" ("received_at");
CREATE INDEX "webhook_messages_webhook_id_id" on "webhook_messages" ("webhook_id", "id");
CREATE INDEX "webhook_messages_webhook_id_state_due_at_id" on "webhook_messages" ("webhook_id", "state", "due_at", "id");
CREATE INDEX "webhook_messages_state_due_at" on "webhook_messages" ("state", "due_at");
CREATE INDEX "dkim_keys_check_at" on "dkim_keys" ("check_at");
CREATE INDEX "sender_uses_last_used_at" on "sender_uses" ("last_used_at");
CREATE INDEX "sender_checks_transport_id" on "sender_checks" ("transport_id");
CREATE INDEX "sender_proofs_transport_id" on "sender_proofs" ("transport_id");
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('queue_messages',4);
INSERT INTO "sqlite_sequence" VALUES('queue_recipients',10);
INSERT INTO "sqlite_sequence" VALUES('roles',2);
INSERT INTO "sqlite_sequence" VALUES('users',2);
INSERT INTO "sqlite_sequence" VALUES('emails',3);
INSERT INTO "sqlite_sequence" VALUES('route_repairs',16);
INSERT INTO "sqlite_sequence" VALUES('transports',4);
INSERT INTO "sqlite_sequence" VALUES('inbox_messages',5);
INSERT INTO "sqlite_sequence" VALUES('twig_templates',1);
INSERT INTO "sqlite_sequence" VALUES('contacts',6);
INSERT INTO "sqlite_sequence" VALUES('oauth_clients',1);
INSERT INTO "sqlite_sequence" VALUES('limits',1);
INSERT INTO "sqlite_sequence" VALUES('suppressions',1);
INSERT INTO "sqlite_sequence" VALUES('webhooks',3);
INSERT INTO "sqlite_sequence" VALUES('dkim_keys',2);
INSERT INTO "sqlite_sequence" VALUES('mautics',1);
INSERT INTO "sqlite_sequence" VALUES('deliveries',7);
INSERT INTO "sqlite_sequence" VALUES('webhook_messages',3);
INSERT INTO "sqlite_sequence" VALUES('broadcasts',3);
COMMIT;
