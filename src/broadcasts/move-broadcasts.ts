import { type Kysely, sql } from 'kysely'

/** When delivery of what waited before is given up: a week. */
const lifetimeMs = 604_800_000

/**
 * Moves what `broadcast_recipients` had: who got an email, into the keys of the delivery log, and who waits, into the queue.
 * The recipients of a broadcast that was being added are added by its cursor.
 */
export async function moveBroadcasts(db: Kysely<unknown>): Promise<void> {
  const now = Date.now()
  await sql`insert into queue_messages
      (broadcast_id, email_id, caller, sender, created_at, lane, expires_at, submitter, size_bytes, key_id, body,
        is_paused)
    select id, email_id, caller, '', created_at, 'bulk', ${Number.MAX_SAFE_INTEGER}, '', 0, '', ${Buffer.alloc(0)},
      state in ('paused', 'cancelled')
    from broadcasts`.execute(db)
  const key = sql`('email ' || cast(r.email_id as text) || ' contact ' || cast(r.contact_id as text))`
  await sql`insert into delivery_keys (key, kind, delivery_id, started_at)
    select ${key}, 'bulk', max(d.id), max(d.started_at)
    from broadcast_recipients r
    join deliveries d on d.broadcast_id = r.broadcast_id and d.contact_id = r.contact_id
      and d.outcome in ('accepted', 'uncertain', 'started')
    where r.state in ('accepted', 'uncertain', 'attempting')
    group by r.email_id, r.contact_id
    on conflict do nothing`.execute(db)
  await sql`insert into queue_recipients
      (message_id, broadcast_id, contact_id, address, address_key, state, lane, transport_id, due_at, created_at,
        expires_at, attempts, claimed_by, message_key)
    select m.id, b.id, r.contact_id, coalesce(c.email, ''), coalesce(c.email_key, ''),
      case when r.state in ('uncertain', 'attempting') then 'uncertain'
        when b.state = 'paused' then 'paused' else 'queued' end,
      'bulk', -1, r.due_at, ${now}, ${now + lifetimeMs}, r.attempts, null, ${key}
    from broadcast_recipients r
    join broadcasts b on b.id = r.broadcast_id
    join queue_messages m on m.broadcast_id = b.id
    left join contacts c on c.id = r.contact_id
    where r.state in ('uncertain', 'attempting')
      or r.state in ('queued', 'claimed') and b.state in ('running', 'paused')
    on conflict do nothing`.execute(db)
  await sql`drop table broadcast_recipients`.execute(db)
  await sql`drop index broadcasts_due`.execute(db)
  await sql`alter table broadcasts drop column due_at`.execute(db)
  await sql`create index broadcasts_state on broadcasts (state)`.execute(db)
}
