import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import type { TestApp, TestBody } from '../../test/test-app.ts'

/** The time of the pictures: all example data is from the day before. */
export const pictureTime = Date.parse('2026-11-23T14:30:00Z')

const minuteMs = 60_000
const brands = [
  'Orchard',
  'Harbour Books',
  'Northlight',
  'Fern & Finch',
  'Alpine Bikes',
  'Salt Bakery',
]
const hosts = [
  'smtp://orchard:7Rk2-orchard@smtp.orchard.example:587',
  'ses+api://AKIAEXAMPLE:c2VjcmV0@default?region=eu-west-1',
  'postmark+api://4f1c9a-example@default',
  'sendgrid+api://SG.example@default',
  'mailgun+api://key-example:alpine.example@default?region=eu',
  'failover(smtp://salt:9Qm4-salt@mail.salt.example:465 smtp://salt:9Qm4-salt@mail2.salt.example:465)',
]
const subjects = ['your order is on its way', 'news of the week', 'a small thank you']
const people = ['ada', 'grace', 'lin', 'mateo', 'noor', 'olga', 'pia', 'ravi', 'sofia', 'tomas']

/** The template of the picture of the editor. */
const greeting = `{# The opening of every newsletter #}
{% set name = contact.firstname|default('friend') %}
<h1>Good morning, {{ name|capitalize }}</h1>
{% if contact.points > 100 %}
  <p>You have <strong>{{ contact.points }}</strong> points. Spend them by Sunday.</p>
{% else %}
  <p>Collect 100 points and the next delivery is free.</p>
{% endif %}
<ul>
{% for basket in ['Apples', 'Pears', 'Quinces'] %}
  <li>{{ loop.index }}. {{ basket }}</li>
{% endfor %}
</ul>
`

/** Fills an empty Mailyard: the same on each run. `dsn` is a server that takes the test message. */
export async function addExampleData(service: TestApp, dsn: string): Promise<void> {
  const add = async (path: string, body: Record<string, unknown>): Promise<TestBody> => {
    const answer = await service.ask('POST', path, body)
    assert.ok([200, 201].includes(answer.status), `${path}: ${answer.text}`)
    return answer.body
  }
  await add('/api/multipleTransports/new', {
    name: 'Office relay',
    description: 'Receipts and invoices of all brands',
    mailerDsn: dsn,
    testedEmailFrom: 'hello@orchard.example',
  })
  for (const [index, brand] of brands.entries())
    await add('/api/multipleTransports/new', {
      name: brand,
      description: `Newsletters and receipts of ${brand}`,
      mailerDsn: hosts[index],
      testedEmailFrom: `hello@brand${index + 1}.example`,
      isPublished: index !== 3,
    })
  await add('/api/twigTemplates/new', { name: 'Greeting', template: greeting })
  await add('/api/twigTemplates/new', { name: 'Footer', template: '<p>Kind regards</p>' })
  for (const [index, brand] of brands.entries()) {
    await add('/api/emails/new', {
      name: `${brand} newsletter`,
      subject: `News from ${brand}`,
      customHtml: '{twigtemplate=1}<p>Our news of the week.</p>{twigtemplate=2}',
    })
    await add(`/api/multipleTransport/transportEmail/${index + 2}`, { transportId: index + 2 })
  }
  for (const [index, name] of people.entries())
    await add('/api/contacts/new', {
      email: `${name}@example.com`,
      firstname: name,
      points: index * 40,
    })
  await addRows(service)
}

async function addRows({ app }: TestApp): Promise<void> {
  const db = app.storage.tables<unknown>()
  for (const id of [1, 2, 3, 4, 6, 7]) {
    const isGood = id !== 4
    await sql`insert or replace into transport_tests
      (transport_id, tested_at, tested_by, success, message, duration_ms)
      values (${id}, ${pictureTime - id * 47 * minuteMs}, 'Admin', ${Number(isGood)},
        ${isGood ? 'The test message was accepted.' : 'The provider did not accept the API key (401).'}, ${180 + id * 31})`.execute(
      db,
    )
  }
  const count = 1_400
  for (let index = 0; index < count; index++) await addDelivery(db, index, count)
}

async function addDelivery(db: Kysely<unknown>, index: number, count: number): Promise<void> {
  const brand = (index * 7 + Math.floor(index / 11)) % brands.length
  const transport = brands[brand] ?? ''
  const left = count - index
  const outcome =
    left % 467 === 5
      ? 'uncertain'
      : index % 37 === 7 || (brand === 2 && index % 11 === 1)
        ? 'refused'
        : 'accepted'
  // More in the day than at night.
  const ageMs = 24 * 60 * minuteMs * (left / count) ** 1.3
  const reply = {
    accepted: `250 2.0.0 Ok: queued as ${(index * 7919).toString(16).toUpperCase()}`,
    refused: '550 5.1.1 no such user',
    uncertain: null,
  }[outcome]
  const reason =
    outcome === 'uncertain'
      ? 'The connection broke after the last byte.'
      : outcome === 'refused'
        ? 'The server refused the recipient: 550 5.1.1 no such user.'
        : null
  const recipient = `${people[index % people.length]}${index % 90}@example.com`
  const trace = [
    {
      source: 'email',
      transport: { id: brand + 2, name: transport },
      outcome: 'taken',
      reason: 'The transport of the email.',
    },
  ]
  await sql`insert into deliveries (started_at, duration_ms, source, caller, email_id, contact_id, sender,
      recipient, recipient_key, transport_id, transport, member, outcome, reply, reason,
      message_id, subject, process_id, trace)
    values (${Math.round(pictureTime - ageMs)}, ${60 + (index % 190)}, ${index % 3 === 0 ? 'api' : 'smtp'}, 'Admin',
      ${brand + 2}, ${(index % people.length) + 1}, ${`hello@brand${brand + 1}.example`}, ${recipient}, ${recipient},
      ${brand + 2}, ${transport}, ${`smtp://smtp.brand${brand + 1}.example:587`}, ${outcome},
      ${reply}, ${reason},
      ${`<${index}.news@brand${brand + 1}.example>`},
      ${`${transport}: ${subjects[index % subjects.length]}`}, 'example', ${JSON.stringify(trace)})`.execute(
    db,
  )
}
