import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { ContactTables } from '../../src/contacts/index.ts'
import type { SendingTables } from '../../src/sending/jobs/table.ts'
import { emptyDelivery } from '../../src/sending/journal/empty-delivery.ts'
import type { DeliveryTables } from '../../src/sending/table.ts'
import { addEmail } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

type Tables = ContactTables & SendingTables & DeliveryTables

/** Makes the database one of a version that let several contacts have one address. */
async function takeBack(db: Kysely<Tables>): Promise<void> {
  await db.schema.dropIndex('contacts_email_key').execute()
  await db.schema.createIndex('contacts_email_key').on('contacts').column('email_key').execute()
  await sql`delete from migrations where name like '%merged_contacts'
    or name like '%one_contact_per_address'`.execute(db)
}

onEachDatabase('contacts that had the same address before', (shared) => {
  test('are merged into the oldest, with all that pointed to them', async () => {
    const { yard } = shared
    const db = yard.app.storage.tables<Tables>()
    const changes: (() => Promise<unknown>)[] = []
    const contact = async (email: string, values: object, change: Partial<ChangedRow>) => {
      const { body } = await yard.ask('POST', '/api/contacts/new', values)
      const key = { email, email_key: email.toLowerCase(), ...change }
      const { id } = body.contact
      changes.push(() => db.updateTable('contacts').set(key).where('id', '=', id).execute())
      return id as number
    }
    const oldest = await contact(
      'ann@one.test',
      { firstname: 'Ann', city: 'Bern', points: 3, tags: ['a', 'b'], segments: ['s', 't'] },
      { date_added: 1_000, date_modified: 9_000, is_published: false },
    )
    const other = await contact('bob@one.test', { segments: ['s'] }, {})
    const second = await contact(
      'Ann@One.test',
      {
        firstname: 'Anna',
        city: 'Basel',
        mobile: '1',
        owner: 1,
        tags: ['b', 'c'],
        segments: ['u'],
      },
      { date_added: 2_000 },
    )
    const third = await contact(
      'ANN@one.test',
      { city: 'Biel', lastname: 'Old', points: 5, segments: ['t'] },
      { date_added: 3_000 },
    )
    const without = await contact('', { firstname: 'No address' }, { email: null, email_key: null })
    await takeBack(db)
    for (const change of changes) await change()
    const { id: emailId } = await addEmail(yard)
    const people = { oldest, second, third, other }
    const sendings = await addBroadcasts(db, emailId, people)
    await db
      .insertInto('deliveries')
      .values([oldest, third, other].map((id) => deliveryTo(emailId, id)))
      .execute()

    const after = await shared.openAnother()

    const { body } = await after.ask('GET', `/api/contacts/${oldest}`)
    const { all } = body.contact.fields
    assert.deepEqual(
      [all.email, all.firstname, all.lastname, all.city, all.mobile, all.points],
      ['ann@one.test', 'Ann', 'Old', 'Bern', '1', 3],
    )
    assert.equal(body.contact.isPublished, true)
    assert.equal(body.contact.owner.id, 1)
    assert.deepEqual(body.contact.tags, [{ tag: 'a' }, { tag: 'b' }, { tag: 'c' }])
    assert.deepEqual(body.contact.segments, ['s', 't', 'u'])
    const { total, contacts } = (await after.ask('GET', '/api/contacts')).body
    assert.deepEqual([total, Object.keys(contacts).map(Number)], [3, [oldest, other, without]])
    assert.equal((await after.ask('GET', `/api/contacts/${without}`)).status, 200)
    const members = await db.selectFrom('contact_segments').selectAll().execute()
    assert.deepEqual(
      members.map((row) => `${row.segment} ${row.contact_id}`).toSorted(),
      [`s ${oldest}`, `s ${other}`, `t ${oldest}`, `u ${oldest}`].toSorted(),
    )
    const deliveries = await db
      .selectFrom('deliveries')
      .select('contact_id')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      deliveries.map((row) => row.contact_id),
      [oldest, oldest, other],
    )
    await checkBroadcasts(db, sendings, people)
    const again = await after.ask('POST', '/api/contacts/new', { email: 'ann@ONE.test' })
    assert.deepEqual([again.status, again.body.contact.id], [200, oldest])
  })
})

interface ChangedRow {
  email: string | null
  email_key: string | null
  date_added: number
  date_modified: number
  is_published: boolean
}

type People = Record<'oldest' | 'second' | 'third' | 'other', number>

/** One where some got it, one where nobody did, and one whose contacts are not all recipients yet. */
async function addBroadcasts(db: Kysely<Tables>, emailId: number, people: People) {
  const { oldest, second, third, other } = people
  const ids: number[] = []
  for (const [index, change] of [
    { total: 4, accepted: 1, refused: 1 },
    { total: 2 },
    { is_prepared: false, contact_ids: JSON.stringify([other, third, second]), prepared_to: 1 },
  ].entries()) {
    const values = { ...newBroadcast(emailId, index), ...change }
    const insert = db.insertInto('sendings').values(values).returning('id')
    ids.push((await insert.executeTakeFirstOrThrow()).id)
  }
  const recipients = [
    [ids[0], oldest, 'queued'],
    [ids[0], second, 'accepted'],
    [ids[0], third, 'refused'],
    [ids[0], other, 'queued'],
    [ids[1], second, 'queued'],
    [ids[1], third, 'queued'],
  ] as const
  await db
    .insertInto('sending_recipients')
    .values(
      recipients.map(([sendingId = 0, contactId, status]) => ({
        email_id: emailId,
        contact_id: contactId,
        sending_id: sendingId,
        status,
        attempts: 0,
        due_at: 8_640_000_000_000_000,
      })),
    )
    .execute()
  return ids
}

async function checkBroadcasts(db: Kysely<Tables>, ids: readonly number[], people: People) {
  const { oldest, other } = people
  const [first, second, third] = await db
    .selectFrom('sendings')
    .select(['total', 'accepted', 'refused', 'contact_ids'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
  assert.deepEqual([first?.total, first?.accepted, first?.refused], [3, 1, 1])
  assert.equal(second?.total, 1)
  assert.deepEqual(JSON.parse(third?.contact_ids ?? ''), [other, oldest, oldest])
  const recipients = await db
    .selectFrom('sending_recipients')
    .select(['sending_id', 'contact_id', 'status'])
    .orderBy('sending_id')
    .orderBy('contact_id')
    .execute()
  assert.deepEqual(
    recipients.map((row) => [row.sending_id, row.contact_id, row.status]),
    [
      [ids[0], oldest, 'accepted'],
      [ids[0], other, 'queued'],
      [ids[1], oldest, 'queued'],
    ],
  )
}

function newBroadcast(emailId: number, index: number) {
  return {
    email_id: emailId,
    caller: 'test',
    created_at: 0,
    finished_at: null,
    status: 'paused' as const,
    problem: null,
    segment: null,
    contact_ids: null,
    is_prepared: true,
    prepared_to: 0,
    due_at: 0,
    total: 0,
    accepted: 0,
    refused: 0,
    uncertain: 0,
    rate_stretch: 0,
    rate_count: 0,
    rate_before: 0,
    message_seed: `seed ${index}`,
    idempotency_key: null,
    request_hash: null,
  }
}

function deliveryTo(emailId: number, contactId: number) {
  const about = { source: 'job', caller: 'test', startedAt: 0, processId: 'test' } as const
  const recipient = { recipient: 'ann@one.test', recipient_key: 'ann@one.test' }
  return { ...emptyDelivery(about), ...recipient, email_id: emailId, contact_id: contactId }
}
