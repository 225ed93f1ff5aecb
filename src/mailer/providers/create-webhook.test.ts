import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { OutboundError } from '../connect/outbound-error.ts'
import { WebhookError } from '../events/provider-webhooks.ts'
import { findProvider } from './registry.ts'

type Json = Record<string, unknown>

interface Call {
  readonly method: string
  /** `host/path?query`, as the provider would see it. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly body: unknown
}

/** An account at a provider: its webhooks, and what its API does with them. */
interface Account {
  /** Each is one webhook, in the words of the provider. */
  readonly webhooks: Json[]
  answer(call: Call): Answer | undefined
}

interface Case {
  /** The folder's name. */
  readonly provider: string
  readonly dsn: string
  readonly host: string
  readonly account: () => Account
  /** A webhook in the words of the provider. `isComplete` false: it has one event, and opens. */
  readonly webhook: (url: string, isComplete: boolean) => Json
  readonly eventsOf: (webhook: Json) => string[]
  readonly openEvent: string
  /** Null: the provider signs nothing, or does not tell. */
  readonly signingKey: string | null
  /** When the webhook is there already; default: as above. */
  readonly signingKeyLater?: null
}

const secret = 'SG.verysecretkey/42'
const encoded = encodeURIComponent(secret)
const ownUrl = 'https://mail.example.com/webhooks/transports/7/0123456789abcdefSECRET'
const otherUrl = 'https://user:hunter22@other.example.net/hook'

const jsonOf = ({ body }: Call): Json => (body === '' ? {} : (JSON.parse(body) as Json))
const lastPart = ({ url }: Call) => decodeURIComponent(url.split('?')[0]?.split('/').at(-1) ?? '')
const byId = (webhooks: Json[], call: Call, name = 'id') =>
  webhooks.find((webhook) => String(webhook[name]) === lastPart(call))

/** A REST API: GET lists or reads, POST adds, PUT and PATCH change. */
function rest(options: {
  readonly path: string
  readonly id?: string
  readonly wrap?: (webhooks: Json[]) => unknown
  readonly wrapOne?: (webhook: Json) => unknown
  readonly read?: (body: Json) => Json
  readonly onCreation?: Json
  readonly others?: (call: Call, webhooks: Json[]) => Answer | undefined
}): () => Account {
  const { id = 'id', wrap = (all) => all, wrapOne = (one) => one, read = (body) => body } = options
  return () => {
    const webhooks: Json[] = []
    return {
      webhooks,
      answer(call) {
        const path = call.url.replace(/\?.*$/, '').replace(/^[^/]*/, '')
        const other = options.others?.(call, webhooks)
        if (other !== undefined) return other
        if (!path.startsWith(options.path)) return undefined
        const isList = path === options.path
        if (call.method === 'GET' && isList) return { body: wrap(webhooks) }
        if (call.method === 'POST' && isList) {
          const webhook = { [id]: 100 + webhooks.length, ...read(jsonOf(call)) }
          webhooks.push(webhook)
          return { status: 201, body: wrapOne({ ...webhook, ...options.onCreation }) }
        }
        const webhook = byId(webhooks, call, id)
        if (webhook === undefined) return { status: 404, body: { message: 'Not found' } }
        if (call.method !== 'GET') Object.assign(webhook, read(jsonOf(call)))
        return { body: wrapOne(webhook) }
      },
    }
  }
}

const flags = [
  'delivered',
  'deferred',
  'bounce',
  'dropped',
  'spam_report',
  'unsubscribe',
  'group_unsubscribe',
]
const namesOf =
  (member: string) =>
  (webhook: Json): string[] =>
    webhook[member] as string[]

const cases: Record<string, Case> = {
  sendgrid: {
    provider: 'sendgrid',
    dsn: `sendgrid+api://${encoded}@default?region=eu`,
    host: 'api.eu.sendgrid.com',
    account: rest({
      path: '/v3/user/webhooks/event/settings',
      wrap: (webhooks) => ({ max_allowed: 5, webhooks }),
      others(call, webhooks) {
        if (call.url.endsWith('/all')) return { body: { max_allowed: 5, webhooks } }
        if (!call.url.includes('/signed/')) return undefined
        const webhook = byId(webhooks, call)
        if (call.method === 'PATCH' && webhook !== undefined) webhook['public_key'] = 'MFkwPUB'
        return { body: { id: webhook?.['id'], public_key: webhook?.['public_key'] ?? '' } }
      },
    }),
    webhook: (url, isComplete) => ({
      id: `w-${url.length}`,
      url,
      enabled: true,
      ...Object.fromEntries(flags.map((name) => [name, isComplete])),
      open: !isComplete,
      click: false,
    }),
    eventsOf: (webhook) =>
      [...flags, 'open', 'click', 'processed', 'group_resubscribe'].filter(
        (name) => webhook[name] === true,
      ),
    openEvent: 'open',
    signingKey: 'MFkwPUB',
  },
  mailgun: {
    provider: 'mailgun',
    dsn: `mailgun+api://${encoded}:mg.example.com@default?region=eu`,
    host: 'api.eu.mailgun.net',
    account: mailgunAccount,
    webhook: (url, isComplete) => ({
      url,
      events: isComplete
        ? ['delivered', 'temporary_fail', 'permanent_fail', 'complained', 'unsubscribed']
        : ['delivered', 'opened'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'opened',
    signingKey: 'mailgun-signing-key',
  },
  postmark: {
    provider: 'postmark',
    dsn: `postmark+api://${encoded}@default?message_stream=news`,
    host: 'api.postmarkapp.com',
    account: rest({ path: '/webhooks', id: 'ID', wrap: (Webhooks) => ({ Webhooks }) }),
    webhook: (url, isComplete) => ({
      ID: url.length,
      Url: url,
      MessageStream: 'news',
      Triggers: {
        Open: { Enabled: !isComplete, PostFirstOpenOnly: false },
        Delivery: { Enabled: true },
        Bounce: { Enabled: isComplete },
        SpamComplaint: { Enabled: isComplete },
        SubscriptionChange: { Enabled: isComplete },
      },
    }),
    eventsOf: ({ Triggers }) =>
      Object.entries(Triggers as Record<string, { Enabled: boolean }>)
        .filter(([, { Enabled }]) => Enabled)
        .map(([name]) => name),
    openEvent: 'Open',
    signingKey: null,
  },
  brevo: {
    provider: 'brevo',
    dsn: `brevo+api://${encoded}@default`,
    host: 'api.brevo.com',
    account: rest({
      path: '/v3/webhooks',
      others: ({ method }, webhooks) => {
        if (method !== 'GET') return undefined
        return webhooks.length === 0
          ? { status: 404, body: { code: 'document_not_found', message: 'Webhook not found' } }
          : { body: { webhooks } }
      },
    }),
    webhook: (url, isComplete) => ({
      id: url.length,
      url,
      type: 'transactional',
      events: isComplete
        ? [
            'delivered',
            'deferred',
            'hardBounce',
            'softBounce',
            'blocked',
            'invalid',
            'spam',
            'unsubscribed',
          ]
        : ['delivered', 'opened'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'opened',
    signingKey: null,
  },
  mandrill: {
    provider: 'mandrill',
    dsn: `mandrill+api://${encoded}@default`,
    host: 'mandrillapp.com',
    account: mandrillAccount,
    webhook: (url, isComplete) => ({
      id: url.length,
      url,
      auth_key: 'mandrill-key',
      events: isComplete
        ? ['delivered', 'deferral', 'hard_bounce', 'soft_bounce', 'spam', 'unsub', 'reject']
        : ['delivered', 'open'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'open',
    signingKey: 'mandrill-key',
  },
  sparkpost: {
    provider: 'sparkpost',
    dsn: `sparkpost+api://${encoded}@default?region=eu`,
    host: 'api.eu.sparkpost.com',
    account: rest({
      path: '/api/v1/webhooks',
      wrap: (results) => ({ results }),
      wrapOne: (results) => ({ results }),
    }),
    webhook: (url, isComplete) => ({
      id: `uuid-${url.length}`,
      name: 'x',
      target: url,
      events: isComplete
        ? [
            'delivery',
            'delay',
            'bounce',
            'out_of_band',
            'policy_rejection',
            'generation_failure',
            'generation_rejection',
            'spam_complaint',
            'list_unsubscribe',
            'link_unsubscribe',
          ]
        : ['delivery', 'open'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'open',
    signingKey: null,
  },
  resend: {
    provider: 'resend',
    dsn: `resend+api://${encoded}@default`,
    host: 'api.resend.com',
    account: rest({
      path: '/webhooks',
      wrap: (data) => ({
        object: 'list',
        data: data.map(({ signing_secret: _, ...rest }) => rest),
      }),
      read: (body) => ({ ...body, signing_secret: 'whsec_c2VjcmV0' }),
    }),
    webhook: (url, isComplete) => ({
      id: `uuid-${url.length}`,
      endpoint: url,
      status: 'enabled',
      signing_secret: 'whsec_c2VjcmV0',
      events: isComplete
        ? [
            'email.delivered',
            'email.delivery_delayed',
            'email.bounced',
            'email.complained',
            'email.failed',
            'email.suppressed',
          ]
        : ['email.delivered', 'email.opened'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'email.opened',
    signingKey: 'whsec_c2VjcmV0',
  },
  mailersend: {
    provider: 'mailersend',
    dsn: `mailersend+api://${encoded}@default`,
    host: 'api.mailersend.com',
    account: rest({
      path: '/v1/webhooks',
      wrap: (data) => ({ data }),
      wrapOne: (one) => ({ data: { ...one, secret: 'mailersend-secret' } }),
      others: ({ url }) =>
        url.includes('/v1/domains') ? { body: { data: [{ id: 'd1', name: 'a.com' }] } } : undefined,
    }),
    webhook: (url, isComplete) => ({
      id: `w${url.length}`,
      url,
      enabled: true,
      events: isComplete
        ? [
            'activity.delivered',
            'activity.soft_bounced',
            'activity.hard_bounced',
            'activity.unsubscribed',
            'activity.spam_complaint',
            'activity.deferred',
          ]
        : ['activity.delivered', 'activity.opened'],
    }),
    eventsOf: namesOf('events'),
    openEvent: 'activity.opened',
    signingKey: 'mailersend-secret',
  },
  mailtrap: {
    provider: 'mailtrap',
    dsn: `mailtrap+api://${encoded}@default`,
    host: 'mailtrap.io',
    account: rest({
      path: '/api/accounts/3229/webhooks',
      wrap: (data) => ({ data }),
      wrapOne: (data) => ({ data }),
      read: ({ webhook }) => webhook as Json,
      onCreation: { signing_secret: 'mailtrap-secret' },
      others: ({ url }) =>
        url.endsWith('/api/accounts') ? { body: [{ id: 3229, name: 'A' }] } : undefined,
    }),
    webhook: (url, isComplete) => ({
      id: url.length,
      url,
      active: true,
      webhook_type: 'email_sending',
      sending_stream: 'transactional',
      event_types: isComplete
        ? [
            'delivery',
            'soft_bounce',
            'bounce',
            'suspension',
            'reject',
            'spam_complaint',
            'unsubscribe',
          ]
        : ['delivery', 'open'],
    }),
    eventsOf: namesOf('event_types'),
    openEvent: 'open',
    signingKey: 'mailtrap-secret',
    signingKeyLater: null,
  },
}

/** Mailgun lists addresses by event. */
function mailgunAccount(): Account {
  const webhooks: Json[] = []
  return {
    webhooks,
    answer(call) {
      if (call.url.endsWith('/v5/accounts/http_signing_key'))
        return { body: { message: 'success', http_signing_key: 'mailgun-signing-key' } }
      if (call.method === 'GET' && call.url.endsWith('/v3/domains/mg.example.com/webhooks')) {
        const byEvent: Record<string, { urls: string[] } | null> = { clicked: null }
        for (const { url, events } of webhooks)
          for (const event of events as string[])
            byEvent[event] = { urls: [...(byEvent[event]?.urls ?? []), url as string] }
        return { body: { webhooks: byEvent } }
      }
      if (!call.url.endsWith('/v4/domains/mg.example.com/webhooks')) return undefined
      const form = new URLSearchParams(call.body)
      const existing = webhooks.find(({ url }) => url === form.get('url'))
      if (call.method === 'PUT' && existing) existing['events'] = form.getAll('event_types')
      else if (existing) return { status: 409, body: { message: 'exists' } }
      else webhooks.push({ url: form.get('url'), events: form.getAll('event_types') })
      return { body: { webhooks: {} } }
    },
  }
}

/** Mandrill has the key in the body, and one method. */
function mandrillAccount(): Account {
  const webhooks: Json[] = []
  return {
    webhooks,
    answer(call) {
      const { key, ...body } = jsonOf(call)
      assert.equal(key, secret)
      if (call.url.endsWith('/webhooks/list.json')) return { body: webhooks }
      if (call.url.endsWith('/webhooks/add.json'))
        webhooks.push({ id: 1, auth_key: 'mandrill-key', ...body })
      else if (call.url.endsWith('/webhooks/update.json'))
        Object.assign(webhooks.find(({ id }) => id === body['id']) ?? {}, body)
      else return undefined
      return { body: webhooks.at(-1) }
    },
  }
}

let origin = ''
let calls: Call[] = []
let respond: (call: Call) => Answer | 'hang up' = () => ({ body: {} })
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const { method = '', url = '', headers } = incoming
    const call = { method, url: url.slice(1), headers, body: Buffer.concat(chunks).toString() }
    calls.push(call)
    const answer = respond(call)
    if (answer === 'hang up') return incoming.socket.destroy()
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    outgoing.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
})
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => server.close())

/** Sends each request to the server of this test, with the host in the path. */
const localFetch: typeof fetch = (input, init) => {
  const url = new URL(input as string)
  assert.equal(url.protocol, 'https:')
  return fetch(`${origin}/${url.host}${url.pathname}${url.search}`, init)
}

async function run(
  { provider, dsn }: Pick<Case, 'provider' | 'dsn'>,
  fetch = localFetch,
): Promise<string | null> {
  const webhooks = findProvider(provider)?.webhooks
  if (webhooks?.create === undefined) return assert.fail(provider)
  calls = []
  const { signingKey } = await webhooks.create({ url: ownUrl, dsn, fetch })
  return signingKey
}

function serve(account: Account): void {
  respond = (call) => account.answer(call) ?? { status: 404, body: { message: 'no such path' } }
}

async function failureOf(one: Pick<Case, 'provider' | 'dsn'>, fetch = localFetch): Promise<string> {
  const error = await run(one, fetch).then(
    () => assert.fail('It was set up.'),
    (failure: unknown) => failure,
  )
  assert.ok(error instanceof WebhookError, String(error))
  for (const text of [error.message, error.stack ?? '', JSON.stringify(error.cause ?? '')])
    for (const hidden of [secret, encoded, btoa(secret), 'abcdefSECRET', 'hunter22'])
      assert.ok(!text.includes(hidden), text)
  assert.match(error.message, /^[A-Z].*\.$/)
  return error.message
}

for (const [name, one] of Object.entries(cases)) {
  const { webhook, eventsOf, openEvent } = one
  const urlOf = (hook: Json) => hook['url'] ?? hook['Url'] ?? hook['target'] ?? hook['endpoint']

  test(`${name}: a webhook is added with the events that Mailyard reads, and others stay as they are`, async () => {
    const account = one.account()
    serve(account)
    account.webhooks.push(webhook(otherUrl, false))
    assert.equal(await run(one), one.signingKey)
    assert.deepEqual(account.webhooks[0], webhook(otherUrl, false))
    const [, added] = account.webhooks
    assert.equal(account.webhooks.length, 2)
    assert.ok(added !== undefined)
    assert.equal(urlOf(added), ownUrl)
    assert.deepEqual(eventsOf(added).sort(), eventsOf(webhook(ownUrl, true)).sort())
    for (const { url } of calls) assert.equal(url.split('/')[0], one.host)
  })

  test(`${name}: the first webhook of an account is added`, async () => {
    const account = one.account()
    serve(account)
    await run(one)
    assert.equal(account.webhooks.length, 1)
  })

  test(`${name}: a second run adds and changes nothing`, async () => {
    const account = one.account()
    serve(account)
    await run(one)
    const before = structuredClone(account.webhooks)
    assert.equal(await run(one), one.signingKeyLater === null ? null : one.signingKey)
    assert.deepEqual(account.webhooks, before)
    const isRead = ({ method, url }: Call) => method === 'GET' || url.endsWith('/list.json')
    assert.ok(calls.every(isRead), JSON.stringify(calls))
  })

  test(`${name}: an own webhook that lacks events gets them, and keeps those that it has`, async () => {
    const account = one.account()
    serve(account)
    account.webhooks.push(webhook(ownUrl, false))
    await run(one)
    assert.equal(account.webhooks.length, 1)
    const events = eventsOf(account.webhooks[0] as Json)
    for (const event of [openEvent, ...eventsOf(webhook(ownUrl, true))])
      if (event !== 'activity.deferred') assert.ok(events.includes(event), event)
  })
}

const everyCase = Object.entries({
  ...cases,
  mailjet: { provider: 'mailjet', dsn: `mailjet+api://K1234567:${encoded}@default` },
})

for (const [name, one] of everyCase) {
  test(`${name}: a credential without the right gets a sentence with what to do`, async () => {
    const echo = { message: `Key ${secret} for ${ownUrl} may not`, name: 'Invalid_Key' }
    for (const status of [401, 403]) {
      respond = () => ({ status, body: echo })
      const message = await failureOf(one)
      assert.match(message, /does not let this credential set up webhooks/)
      assert.match(message, /Give |Check |Use |use |Allow |with /)
    }
  })

  test(`${name}: whatever else the API answers becomes a sentence without a secret`, async () => {
    const bodies = ['', '<html>', '"x"', '[]', 'null', { errors: [secret, { message: ownUrl }] }]
    for (const status of [302, 400, 409, 422, 429, 500, 503])
      for (const body of bodies) {
        respond = () => ({ status, body })
        await failureOf(one)
      }
    respond = () => 'hang up'
    assert.match(await failureOf(one), /could not be reached/)
  })

  test(`${name}: an API that answers with other shapes breaks nothing`, async () => {
    for (const body of ['', 'null', '[null]', '{"data":{}}', '{"webhooks":[null,1],"Data":7}']) {
      respond = () => ({ body })
      await run(one).catch((error: unknown) => assert.ok(error instanceof WebhookError))
    }
  })

  test(`${name}: a DSN that cannot be used becomes a sentence`, async () => {
    const { provider } = one
    const scheme = one.dsn.split('://')[0] as string
    for (const dsn of ['', 'nonsense', `${scheme}://default`, `failover(${one.dsn} ${one.dsn})`])
      await failureOf({ provider, dsn })
    await failureOf({ provider, dsn: `${scheme}://K%0Ay:P%C3%A4@default` })
  })
}

test('mailjet: each event without an address gets ours, and a dead one of ours is revived', async () => {
  const account = rest({
    path: '/v3/REST/eventcallbackurl',
    id: 'ID',
    wrap: (Data) => ({ Data }),
  })()
  serve(account)
  const foreign = { ID: 1, EventType: 'open', Url: otherUrl, Status: 'alive' }
  account.webhooks.push({ ...foreign }, { ID: 2, EventType: 'spam', Url: ownUrl, Status: 'dead' })
  const one = { provider: 'mailjet', dsn: `mailjet+api://K:${encoded}@default` }
  assert.equal(await run(one), null)
  assert.deepEqual(account.webhooks[0], foreign)
  assert.equal(account.webhooks[1]?.['Status'], 'alive')
  const own = account.webhooks.filter(({ Url }) => Url === ownUrl)
  assert.deepEqual(own.map(({ EventType }) => EventType).sort(), [
    'blocked',
    'bounce',
    'sent',
    'spam',
    'unsub',
  ])
  await run(one)
  assert.deepEqual(
    calls.map(({ method }) => method),
    ['GET'],
  )
})

test('mailjet: an address of others is named and left, and nothing is changed', async () => {
  const account = rest({
    path: '/v3/REST/eventcallbackurl',
    id: 'ID',
    wrap: (Data) => ({ Data }),
  })()
  serve(account)
  account.webhooks.push({ ID: 1, EventType: 'bounce', Url: otherUrl, Status: 'alive' })
  const message = await failureOf({
    provider: 'mailjet',
    dsn: `mailjet://K:${encoded}@default`,
  })
  assert.match(message, /"bounce" calls other\.example\.net\. Nothing was changed\. Remove these/)
  assert.equal(account.webhooks.length, 1)
})

test('sendgrid: a plan whose webhooks are all in use is named with their hosts', async () => {
  respond = () => ({ body: { max_allowed: 1, webhooks: [{ id: 'a', url: otherUrl }] } })
  const { provider, dsn } = cases['sendgrid'] as Case
  assert.match(
    await failureOf({ provider, dsn }),
    /allows 1 event webhook .*\(other\.example\.net\)/,
  )
  assert.equal(calls.length, 1)
})

test('mailgun: an event with three addresses is named, and nothing is changed', async () => {
  const account = mailgunAccount()
  serve(account)
  for (const host of ['a', 'b', 'c'])
    account.webhooks.push({ url: `https://${host}.example.net/x`, events: ['complained'] })
  const { provider, dsn } = cases['mailgun'] as Case
  assert.match(await failureOf({ provider, dsn }), /"complained" of mg\.example\.com has 3 already/)
  assert.equal(account.webhooks.length, 3)
})

test('mailgun: without the right to read the signing key the webhook is set up', async () => {
  const account = mailgunAccount()
  respond = (call) =>
    call.url.includes('/v5/')
      ? { status: 403, body: 'Forbidden' }
      : (account.answer(call) ?? { status: 404, body: {} })
  const { provider, dsn } = cases['mailgun'] as Case
  assert.equal(await run({ provider, dsn }), null)
  assert.equal(account.webhooks.length, 1)
})

test('mailersend: a token that sees several domains, or none, gets a sentence', async () => {
  const { provider, dsn } = cases['mailersend'] as Case
  respond = () => ({ body: { data: [{ name: 'a.com' }, { name: 'b.com' }] } })
  assert.match(await failureOf({ provider, dsn }), /this token sees 2 \(a\.com, b\.com\)/)
  respond = () => ({ body: { data: [] } })
  assert.match(await failureOf({ provider, dsn }), /sees no domain/)
})

test('mailersend: a plan without deferred events gets the others', async () => {
  const { provider, dsn, account: open, eventsOf } = cases['mailersend'] as Case
  const account = open()
  respond = (call) =>
    call.method === 'POST' && call.body.includes('activity.deferred')
      ? { status: 422, body: { message: 'The selected events.5 is invalid.' } }
      : (account.answer(call) ?? { status: 404, body: {} })
  await run({ provider, dsn })
  assert.ok(!eventsOf(account.webhooks[0] as Json).includes('activity.deferred'))
})

test('mailtrap: the bulk stream has a webhook of its own, and a sandbox has none', async () => {
  const { provider, account: open } = cases['mailtrap'] as Case
  const account = open()
  serve(account)
  await run({ provider, dsn: `smtp://api:${encoded}@bulk.smtp.mailtrap.io:587` })
  assert.equal(account.webhooks[0]?.['sending_stream'], 'bulk')
  assert.match(
    await failureOf({ provider, dsn: `mailtrap+sandbox://${encoded}@default?inboxId=1` }),
    /sandbox/,
  )
})

test('an SMTP log-in that holds the API key is used, and one that does not is refused', async () => {
  const smtp: Record<string, [dsn: string, header: string, value: string]> = {
    sendgrid: [
      `smtp://apikey:${encoded}@smtp.eu.sendgrid.net`,
      'authorization',
      `Bearer ${secret}`,
    ],
    postmark: [`postmark+smtp://${encoded}@default`, 'x-postmark-server-token', secret],
    sparkpost: [
      `smtp://SMTP_Injection:${encoded}@smtp.eu.sparkpostmail.com`,
      'authorization',
      secret,
    ],
    resend: [`resend+smtp://resend:${encoded}@default`, 'authorization', `Bearer ${secret}`],
    mailtrap: [`mailtrap+smtp://${encoded}@default`, 'authorization', `Bearer ${secret}`],
  }
  for (const [name, [dsn, header, value]] of Object.entries(smtp)) {
    const one = cases[name] as Case
    serve(one.account())
    await run({ provider: one.provider, dsn })
    for (const { headers } of calls) assert.equal(headers[header], value, name)
    for (const { url } of calls) assert.equal(url.split('/')[0], one.host)
  }
  for (const name of ['brevo', 'mailgun', 'mailersend']) {
    const { provider } = cases[name] as Case
    const message = await failureOf({ provider, dsn: `${name}+smtp://a%40b.c:${encoded}@default` })
    assert.match(message, new RegExp(`has an SMTP log-in, .* ${name}\\+api://`))
  }
})

test('what the outbound policy says reaches the person', async () => {
  const { provider, dsn } = cases['resend'] as Case
  const cause = new OutboundError('blocked', {
    detail: `Connections to api.resend.com are not allowed for ${secret}.`,
    hint: 'Have it added to the allow-list.',
  })
  for (const error of [cause, new Error('upstream', { cause })]) {
    const blocked = () => Promise.reject(error)
    assert.match(await failureOf({ provider, dsn }, blocked), /Have it added to the allow-list\.$/)
  }
})

test('the host and port of an API DSN are used', async () => {
  const { provider, account } = cases['resend'] as Case
  serve(account())
  await run({ provider, dsn: `resend+api://${encoded}@proxy.example.com:8443` })
  assert.ok(calls.every(({ url }) => url.startsWith('proxy.example.com:8443/webhooks')))
})
