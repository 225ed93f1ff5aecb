import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { OutboundError } from '../connect/outbound-error.ts'
import type { AskDomainOptions, ProviderDomainState } from '../domains/provider-domains.ts'
import { askDomain } from '../dsn/sending-leaves.ts'

type Json = Record<string, unknown>

interface Call {
  /** `host/path?query`, as the provider would see it. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

const secret = 'SG.verysecretkey/42'
const encoded = encodeURIComponent(secret)

let origin = ''
let calls: Call[] = []
/** Answers a call; it may write the answer itself. */
let respond: (call: Call, outgoing: ServerResponse) => Answer | 'written'

/** The number of the question. A call of an earlier one may still arrive. */
let question = 0

const server = createServer((incoming, outgoing) => {
  const [, number, url = ''] = /^\/(\d+)\/(.*)$/.exec(incoming.url ?? '') ?? []
  if (Number(number) !== question) return void outgoing.destroy()
  const call = { url, headers: incoming.headers }
  assert.equal(incoming.method, 'GET')
  calls.push(call)
  const answer = respond(call, outgoing)
  if (answer === 'written') return
  const { status = 200, headers = {}, body } = answer
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body))
})
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends each request to the server of this test, with the host in the path. */
const localFetch: typeof fetch = (input, init) => {
  const url = new URL(input as string)
  assert.equal(url.protocol, 'https:')
  return fetch(`${origin}/${question}/${url.host}${url.pathname}${url.search}`, init)
}

const now = () => new Date('2026-11-27T01:00:00Z')

async function ask(
  dsn: string,
  domain = 'example.com',
  options: Partial<AskDomainOptions> = {},
): Promise<ProviderDomainState> {
  calls = []
  question += 1
  const state = await askDomain(dsn, domain, { fetch: localFetch, now, ...options })
  const text = JSON.stringify(state)
  for (const hidden of [secret, encoded, btoa(secret), btoa(`api:${secret}`)])
    assert.ok(!text.includes(hidden), text)
  const sentence = state.state === 'unknown' ? state.problem : state.detail
  assert.match(sentence, /^[A-Z].*\.$/)
  return state
}

/** Answers paths, without host; an array is one answer after the other. */
function serve(paths: Record<string, unknown>): void {
  respond = ({ url }) => {
    const path = url.slice(url.indexOf('/'))
    const body = paths[path]
    if (body === undefined) return { status: 404, body: { message: `No path ${path}` } }
    return body instanceof Refusal ? body : { body }
  }
}

class Refusal implements Answer {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    this.status = status
    this.body = body
  }
}

interface Case {
  readonly dsn: string
  readonly host: string
  /** What the API answers when it has `example.com` and signs for it. */
  readonly paths: Record<string, unknown>
  readonly verified: ProviderDomainState
  readonly header: [name: string, value: RegExp]
}

/** An entry of SendGrid's list, as its reference shows it. */
function sendgridEntry(domain: string, { valid = true, isDefault = false, id = 7 } = {}): Json {
  const record = (host: string, data: string) => ({ valid, type: 'cname', host, data })
  return {
    id,
    user_id: 66036447,
    subdomain: 'em1234',
    domain,
    username: 'jdoe',
    ips: [],
    custom_spf: false,
    default: isDefault,
    legacy: false,
    automatic_security: true,
    valid,
    dns: {
      mail_cname: record(`em1234.${domain}`, `u${id}.wl.sendgrid.net`),
      dkim1: record(`s1._domainkey.${domain}`, `s1.domainkey.u${id}.wl.sendgrid.net`),
      dkim2: record(`s2._domainkey.${domain}`, `s2.domainkey.u${id}.wl.sendgrid.net`),
    },
  }
}

const sendgridPath = '/v3/whitelabel/domains'
const sendgridList = (domain: string) =>
  `${sendgridPath}?exclude_subusers=true&limit=50&domain=${domain}`

const sesPath = '/v2/email/identities'

/** An identity of Amazon SES, as `GetEmailIdentity` returns it. */
function sesIdentity(changes: { dkim?: Json; mailFrom?: Json; others?: Json } = {}): Json {
  return {
    IdentityType: 'DOMAIN',
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: true,
    VerificationStatus: 'SUCCESS',
    DkimAttributes: {
      SigningEnabled: true,
      Status: 'SUCCESS',
      Tokens: ['aaa111', 'bbb222', 'ccc333'],
      SigningAttributesOrigin: 'AWS_SES',
      CurrentSigningKeyLength: 'RSA_2048_BIT',
      ...changes.dkim,
    },
    MailFromAttributes: {
      MailFromDomain: 'bounces.example.com',
      MailFromDomainStatus: 'SUCCESS',
      BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      ...changes.mailFrom,
    },
    Policies: {},
    Tags: [],
    ...changes.others,
  }
}

function sesList(names: readonly string[], token?: string): Json {
  return {
    EmailIdentities: names.map((name) => ({
      IdentityName: name,
      IdentityType: name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
      SendingEnabled: true,
      VerificationStatus: 'SUCCESS',
    })),
    ...(token === undefined ? {} : { NextToken: token }),
  }
}

const sesDomainOf = (name: string) => `${sesPath}/${encodeURIComponent(name)}`

function mailgunDomain(
  { state = 'active', valid = 'valid', authority = 'mg.example.com' } = {},
  others: Json[] = [],
): Json {
  return {
    domain: {
      name: 'mg.example.com',
      state,
      is_disabled: false,
      smtp_login: 'postmaster@mg.example.com',
      use_automatic_sender_security: false,
    },
    receiving_dns_records: [
      { record_type: 'MX', priority: '10', valid: 'valid', value: 'mxa.mailgun.org' },
    ],
    sending_dns_records: [
      {
        record_type: 'TXT',
        valid,
        name: 'mg.example.com',
        value: 'v=spf1 include:mailgun.org ~all',
        is_active: true,
        cached: [],
      },
      {
        record_type: 'TXT',
        valid,
        name: `pic._domainkey.${authority}`,
        value: 'k=rsa; p=MIGf',
        is_active: true,
        cached: [],
      },
      {
        record_type: 'CNAME',
        valid: 'unknown',
        name: 'email.mg.example.com',
        value: 'mailgun.org',
      },
      ...others,
    ],
  }
}

function resendDomain(domain: string, zone: string, status = 'verified'): Json {
  const suffix = zone === domain ? '' : `.${domain.slice(0, -zone.length - 1)}`
  return {
    object: 'domain',
    id: 'd-1',
    name: domain,
    status,
    region: 'eu-west-1',
    records: [
      {
        record: 'SPF',
        name: `send${suffix}`,
        type: 'MX',
        ttl: 'Auto',
        status,
        value: 'feedback-smtp.eu-west-1.amazonses.com',
        priority: 10,
      },
      {
        record: 'SPF',
        name: `send${suffix}`,
        type: 'TXT',
        ttl: 'Auto',
        status,
        value: 'v=spf1 include:amazonses.com ~all',
      },
      {
        record: 'DKIM',
        name: `resend._domainkey${suffix}`,
        type: 'TXT',
        ttl: 'Auto',
        status,
        value: 'p=MIGf',
      },
      {
        record: 'Receiving',
        name: suffix.slice(1) || '@',
        type: 'MX',
        ttl: 'Auto',
        status,
        value: 'inbound-smtp.eu-west-1.amazonaws.com',
        priority: 9,
      },
    ],
  }
}

const resendList = (names: readonly string[], hasMore = false) => ({
  object: 'list',
  has_more: hasMore,
  data: names.map((name, index) => ({ id: `d-${index + 1}`, name, status: 'verified' })),
})

function brevoDomain({ authenticated = true, status = true } = {}): Json {
  const cname = (number: number) => ({
    type: 'CNAME',
    value: `b${number}.example-com.dkim.brevo.com`,
    host_name: `brevo${number}._domainkey`,
    status,
  })
  return {
    domain: 'example.com',
    verified: true,
    authenticated,
    dns_records: {
      brevo_code: { type: 'TXT', value: 'brevo-code:abc123', host_name: '@', status },
      dkim_record: null,
      dkim1Record: cname(1),
      dkim2Record: cname(2),
      dmarc_record: { type: 'TXT', value: 'v=DMARC1; p=none', host_name: '_dmarc', status },
    },
  }
}

const cases: Record<string, Case> = {
  sendgrid: {
    dsn: `sendgrid+api://${encoded}@default`,
    host: 'api.sendgrid.com',
    header: ['authorization', /^Bearer SG\./],
    paths: { [sendgridList('example.com')]: [sendgridEntry('example.com')] },
    verified: {
      state: 'verified',
      signingDomain: 'example.com',
      returnPath: 'em1234.example.com',
      records: [
        {
          type: 'CNAME',
          name: 's1._domainkey.example.com',
          value: 's1.domainkey.u7.wl.sendgrid.net',
          isFound: true,
        },
        {
          type: 'CNAME',
          name: 's2._domainkey.example.com',
          value: 's2.domainkey.u7.wl.sendgrid.net',
          isFound: true,
        },
      ],
      detail: 'SendGrid has authenticated example.com.',
    },
  },
  ses: {
    dsn: `ses+api://AKIA:${encoded}@default?region=eu-central-1`,
    host: 'email.eu-central-1.amazonaws.com',
    header: [
      'authorization',
      /^AWS4-HMAC-SHA256 Credential=AKIA\/20261127\/eu-central-1\/ses\/aws4_request, SignedHeaders=accept;host;x-amz-date, Signature=[0-9a-f]{64}$/,
    ],
    paths: {
      [`${sesPath}?PageSize=200`]: sesList(['other.example', 'example.com']),
      [sesDomainOf('example.com')]: sesIdentity(),
    },
    verified: {
      state: 'verified',
      signingDomain: 'example.com',
      returnPath: 'bounces.example.com',
      records: ['aaa111', 'bbb222', 'ccc333'].map((token) => ({
        type: 'CNAME',
        name: `${token}._domainkey.example.com`,
        value: `${token}.dkim.amazonses.com`,
      })),
      detail: 'Amazon SES signs for example.com.',
    },
  },
  mailgun: {
    dsn: `mailgun+api://${encoded}:mg.example.com@default?region=eu`,
    host: 'api.eu.mailgun.net',
    header: ['authorization', /^Basic /],
    paths: { '/v4/domains/mg.example.com': mailgunDomain() },
    verified: {
      state: 'verified',
      signingDomain: 'mg.example.com',
      returnPath: 'mg.example.com',
      records: [
        {
          type: 'TXT',
          name: 'pic._domainkey.mg.example.com',
          value: 'k=rsa; p=MIGf',
          isFound: true,
        },
      ],
      detail: 'Mailgun has verified mg.example.com, the domain of the DSN.',
    },
  },
  resend: {
    dsn: `resend+api://${encoded}@default`,
    host: 'api.resend.com',
    header: ['authorization', /^Bearer /],
    paths: {
      '/domains?limit=100': resendList(['example.com']),
      '/domains/d-1': resendDomain('example.com', 'example.com'),
    },
    verified: {
      state: 'verified',
      signingDomain: 'example.com',
      returnPath: 'send.example.com',
      records: [
        { type: 'TXT', name: 'resend._domainkey.example.com', value: 'p=MIGf', isFound: true },
      ],
      detail: 'Resend has verified example.com.',
    },
  },
  brevo: {
    dsn: `brevo+api://${encoded}@default`,
    host: 'api.brevo.com',
    header: ['api-key', /^SG\./],
    paths: { '/v3/senders/domains/example.com': brevoDomain() },
    verified: {
      state: 'verified',
      signingDomain: 'example.com',
      returnPath: null,
      records: [1, 2].map((number) => ({
        type: 'CNAME',
        name: `brevo${number}._domainkey.example.com`,
        value: `b${number}.example-com.dkim.brevo.com`,
        isFound: true,
      })),
      detail: 'Brevo has authenticated example.com.',
    },
  },
}

for (const [name, one] of Object.entries(cases)) {
  const { dsn, host, paths, verified, header } = one

  test(`${name}: a domain that the account has verified has its signing domain and records`, async () => {
    serve(paths)
    assert.deepEqual(await ask(dsn), verified)
    for (const { url, headers } of calls) {
      assert.equal(url.split('/')[0], host)
      assert.match(String(headers[header[0]]), header[1])
    }
  })

  test(`${name}: a key without the right gets a sentence with what it needs`, async () => {
    for (const status of [401, 403]) {
      respond = () => ({ status, body: { message: `Key ${secret} may not`, code: 'unauthorized' } })
      const state = await ask(dsn)
      assert.ok(state.state === 'unknown')
      assert.match(
        state.problem,
        /does not let this credential read the state of the domain: Key \*+ may not\. [A-Z]/,
      )
    }
  })

  test(`${name}: too many calls and faults of the provider are unknown, and say to try again`, async () => {
    for (const [status, words] of [
      [429, /no more calls at the moment.*Try again in a minute/],
      [500, /internal error.*Try again later/],
      [503, /internal error.*Try again later/],
    ] as const)
      for (const body of ['', '<html>', { errors: [{ message: secret }] }, { Message: 'Busy.' }]) {
        respond = () => ({ status, body })
        const state = await ask(dsn)
        assert.ok(state.state === 'unknown')
        assert.match(state.problem, words)
      }
  })

  test(`${name}: an answer of something else than the API is unknown`, async () => {
    for (const answer of [
      { status: 200, body: '' },
      { status: 200, body: '<html>log in</html>' },
      { status: 200, body: '"example.com"' },
      { status: 200, body: 'null' },
      { status: 200, body: '{"domain":' },
      { status: 302, headers: { location: `${origin}/${question + 1}/else` }, body: '' },
      { status: 400, body: { message: 'Bad' } },
      { status: 404, body: '<html>' },
      { status: 404, body: { message: 'no Route matched' } },
    ]) {
      respond = () => answer
      assert.equal((await ask(dsn)).state, 'unknown', JSON.stringify(answer))
    }
  })

  test(`${name}: a redirect is not followed`, async () => {
    respond = () => ({
      status: 307,
      headers: { location: `${origin}/${question + 1}/else` },
      body: '',
    })
    const state = await ask(dsn)
    assert.ok(state.state === 'unknown')
    assert.match(state.problem, /redirect/)
    assert.ok(calls.every(({ url }) => url !== 'else'))
  })

  test(`${name}: members of other types are never a verified domain`, async () => {
    for (const value of [null, 1, 'x', [], {}, [null, 1, ['x']], { __proto__: 1 }]) {
      const names = [
        'items',
        'EmailIdentities',
        'data',
        'domain',
        'dns_records',
        'sending_dns_records',
        'errors',
      ]
      respond = () => ({ body: Object.fromEntries(names.map((member) => [member, value])) })
      assert.notEqual((await ask(dsn)).state, 'verified')
      respond = () => ({ body: [value] })
      assert.notEqual((await ask(dsn)).state, 'verified')
    }
  })

  test(`${name}: an answer without end is not read to the end`, async () => {
    let isClosed = false
    respond = (_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      const write = () => {
        while (!outgoing.destroyed && outgoing.write(' '.repeat(65_536)));
      }
      outgoing.on('drain', write).on('close', () => {
        isClosed = true
      })
      write()
      return 'written'
    }
    const state = await ask(dsn)
    assert.ok(state.state === 'unknown')
    assert.match(state.problem, /more than 1 MB/)
    while (!isClosed) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test(`${name}: a server that breaks off, or does not answer before the signal, is unknown`, async () => {
    respond = (_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '100' })
      outgoing.write('{"dom')
      setImmediate(() => outgoing.destroy())
      return 'written'
    }
    const broken = await ask(dsn)
    assert.ok(broken.state === 'unknown')
    assert.match(broken.problem, /could not be reached/)
    const controller = new AbortController()
    respond = () => {
      setImmediate(() => controller.abort())
      return 'written'
    }
    const cancelled = await ask(dsn, 'example.com', { signal: controller.signal })
    assert.ok(cancelled.state === 'unknown')
    assert.match(cancelled.problem, /was cancelled/)
    const state = await ask(dsn, 'example.com', { signal: AbortSignal.timeout(1) })
    assert.ok(state.state === 'unknown')
    assert.match(state.problem, /did not answer/)
  })

  test(`${name}: what the outbound policy refuses has its words`, async () => {
    const refused = () =>
      Promise.reject(
        new TypeError('fetch failed', {
          cause: new OutboundError('blocked', {
            detail: 'It is blocked.',
            hint: 'Ask the operator.',
          }),
        }),
      )
    const state = await ask(dsn, 'example.com', { fetch: refused })
    assert.deepEqual(state, { state: 'unknown', problem: 'It is blocked. Ask the operator.' })
  })

  test(`${name}: a text that is not a domain is not asked about`, async () => {
    for (const domain of [
      '',
      'example',
      'a/../b.c',
      'EXAMPLE.com',
      'bücher.example',
      'a b.c',
      'a\0.c',
      'x'.repeat(300),
    ])
      assert.equal((await ask(dsn, domain)).state, 'unknown', domain)
    assert.equal(calls.length, 0)
  })
}

test('a DSN whose credential is none of the API is not asked with', async () => {
  respond = () => assert.fail('nothing is asked')
  for (const [dsn, words] of [
    [`ses+smtp://AKIA:${encoded}@default`, /no credential of the API/],
    [`smtp://AKIA:${encoded}@email-smtp.eu-west-1.amazonaws.com:587`, /no credential of the API/],
    [`mailgun+smtp://a%40mg.example.com:${encoded}@default`, /SMTP log-in/],
    [`brevo+smtp://a%40b.example:${encoded}@default`, /SMTP log-in/],
    [`postmark+api://${encoded}@default`, /account API token only/],
    [`postmark+smtp://${encoded}@default`, /account API token only/],
    [`mailjet+api://KEY:${encoded}@default`, /Mailyard cannot ask Mailjet/],
    ['smtp://mail.example.com', /not one of a known provider/],
    [`sendgrid+api://K%C3%A4y@default`, /./],
  ] as const) {
    const state = await ask(dsn)
    assert.ok(state.state === 'unknown')
    assert.match(state.problem, words)
  }
})

test('an SMTP log-in that is an API key asks the API of its region', async () => {
  for (const [dsn, host] of [
    [`smtp://apikey:${encoded}@smtp.sendgrid.net:587`, 'api.sendgrid.com'],
    [`sendgrid+smtp://${encoded}@default?region=eu`, 'api.eu.sendgrid.com'],
    [`smtp://apikey:${encoded}@smtp.eu.sendgrid.net:587`, 'api.eu.sendgrid.com'],
  ] as const) {
    serve(cases['sendgrid']?.paths ?? {})
    assert.equal((await ask(dsn)).state, 'verified', dsn)
    assert.equal(calls[0]?.url.split('/')[0], host)
  }
  serve(cases['resend']?.paths ?? {})
  assert.equal((await ask(`resend+smtp://resend:${encoded}@default`)).state, 'verified')
})

test('an API at the host of the DSN is asked there', async () => {
  serve(cases['sendgrid']?.paths ?? {})
  assert.equal((await ask(`sendgrid+api://${encoded}@proxy.example.com:8443`)).state, 'verified')
  assert.equal(calls[0]?.url.split('/')[0], 'proxy.example.com:8443')
  serve(cases['ses']?.paths ?? {})
  const plugin = `mautic+ses+api://AKIA:${encoded}@x?region=eu-west-1&endpoint=https%3A%2F%2Fses.example.com`
  assert.equal((await ask(plugin)).state, 'verified')
  assert.equal(calls[0]?.url.split('/')[0], 'ses.example.com')
})

const sendgridDsn = cases['sendgrid']?.dsn ?? ''

test('sendgrid: a domain whose records it has not validated is unverified, with the records', async () => {
  serve({ [sendgridList('example.com')]: [sendgridEntry('example.com', { valid: false })] })
  const state = await ask(sendgridDsn)
  assert.ok(state.state === 'unverified')
  assert.deepEqual(
    state.records.map(({ type, name, isFound }) => [type, name, isFound]),
    [
      ['CNAME', 'em1234.example.com', false],
      ['CNAME', 's1._domainkey.example.com', false],
      ['CNAME', 's2._domainkey.example.com', false],
    ],
  )
})

test('sendgrid: another domain that the search returns is not the domain', async () => {
  const others = ['shop.example.com', 'example.community', 'notexample.com']
  serve({
    [sendgridList('example.com')]: others.map((domain) => sendgridEntry(domain)),
    [`${sendgridPath}/default`]: {},
    [`${sendgridPath}?exclude_subusers=true&limit=1`]: [sendgridEntry('shop.example.com')],
  })
  const state = await ask(sendgridDsn)
  assert.deepEqual(state, {
    state: 'missing',
    detail: 'SendGrid has not authenticated example.com.',
  })
})

test('sendgrid: without a matching domain the default one signs', async () => {
  const none = {
    [sendgridList('news.example.com')]: [],
    [sendgridList('example.com')]: [],
    [`${sendgridPath}?exclude_subusers=true&limit=1`]: [sendgridEntry('brand.example')],
  }
  serve({
    ...none,
    [`${sendgridPath}/default`]: sendgridEntry('brand.example', { isDefault: true }),
  })
  const state = await ask(sendgridDsn, 'news.example.com')
  assert.ok(state.state === 'verified')
  assert.equal(state.signingDomain, 'brand.example')
  for (const absent of [
    new Refusal(404, { errors: [{ field: null, message: 'not found' }] }),
    sendgridEntry('brand.example', { isDefault: true, valid: false }),
  ]) {
    serve({ ...none, [`${sendgridPath}/default`]: absent })
    assert.equal((await ask(sendgridDsn, 'news.example.com')).state, 'missing')
  }
})

test('sendgrid: whether a parent domain signs for a subdomain is unknown', async () => {
  serve({
    [sendgridList('a.news.example.com')]: [],
    [sendgridList('news.example.com')]: [sendgridEntry('news.example.com', { valid: false })],
    [sendgridList('example.com')]: [sendgridEntry('example.com')],
  })
  const state = await ask(sendgridDsn, 'a.news.example.com')
  assert.ok(state.state === 'unknown')
  assert.match(state.problem, /has authenticated example\.com, and not a\.news\.example\.com/)
})

test('sendgrid: a key that sees no domain at all may be that of a subuser', async () => {
  serve({
    [sendgridList('example.com')]: [],
    [`${sendgridPath}/default`]: {},
    [`${sendgridPath}?exclude_subusers=true&limit=1`]: [],
  })
  const state = await ask(sendgridDsn)
  assert.ok(state.state === 'unknown')
  assert.match(state.problem, /subuser/)
})

test('sendgrid: records of several valid set-ups all have to be there', async () => {
  serve({
    [sendgridList('example.com')]: [
      sendgridEntry('example.com', { valid: false, id: 5 }),
      sendgridEntry('example.com', { id: 7 }),
      sendgridEntry('example.com', { id: 8 }),
    ],
  })
  const state = await ask(sendgridDsn)
  assert.ok(state.state === 'verified')
  assert.equal(state.records.length, 4)
  assert.equal(state.returnPath, null)
})

test('sendgrid: a set-up without automated security has TXT records', async () => {
  const entry = {
    ...sendgridEntry('example.com'),
    automatic_security: false,
    dns: {
      mail_server: {
        valid: true,
        type: 'mx',
        host: 'em1234.example.com',
        data: 'mx.sendgrid.net.',
      },
      subdomain_spf: {
        valid: true,
        type: 'txt',
        host: 'em1234.example.com',
        data: 'v=spf1 include:u7.wl.sendgrid.net -all',
      },
      dkim: {
        valid: true,
        type: 'txt',
        host: 'm1._domainkey.example.com',
        data: 'k=rsa; t=s; p=MIGf',
      },
    },
  }
  serve({ [sendgridList('example.com')]: [entry] })
  const state = await ask(sendgridDsn)
  assert.ok(state.state === 'verified')
  assert.deepEqual(
    state.records.map(({ name }) => name),
    ['m1._domainkey.example.com'],
  )
})

const sesDsn = cases['ses']?.dsn ?? ''
const sesFirst = `${sesPath}?PageSize=200`

test('ses: a subdomain is signed for by its nearest identity', async () => {
  serve({
    [sesFirst]: sesList(['example.com', 'news.example.com', 'other.a.news.example.com']),
    [sesDomainOf('news.example.com')]: sesIdentity(),
  })
  const state = await ask(sesDsn, 'a.news.example.com')
  assert.ok(state.state === 'verified')
  assert.equal(state.signingDomain, 'news.example.com')
})

test('ses: an identity that is not verified, or whose signatures are off, hides its parent', async () => {
  const paths = (dkim: Json, others: Json = {}) => ({
    [sesFirst]: sesList(['example.com', 'news.example.com']),
    [sesDomainOf('example.com')]: sesIdentity(),
    [sesDomainOf('news.example.com')]: sesIdentity({ dkim, others }),
  })
  for (const Status of ['PENDING', 'FAILED', 'NOT_STARTED', undefined]) {
    serve(paths({ Status }))
    const state = await ask(sesDsn, 'news.example.com')
    assert.ok(state.state === 'unverified')
    assert.deepEqual(state.records[0], {
      type: 'CNAME',
      name: 'aaa111._domainkey.news.example.com',
      value: 'aaa111.dkim.amazonses.com',
    })
  }
  serve(paths({}, { VerifiedForSendingStatus: false }))
  assert.equal((await ask(sesDsn, 'news.example.com')).state, 'unverified')
  serve(paths({ SigningEnabled: false }))
  const silent = await ask(sesDsn, 'news.example.com')
  assert.ok(silent.state === 'unverified')
  assert.equal(silent.returnPath, 'bounces.example.com')
  serve(paths({ Status: 'TEMPORARY_FAILURE' }))
  assert.equal((await ask(sesDsn, 'news.example.com')).state, 'unknown')
})

test('ses: an address that is an identity of its own has its own settings', async () => {
  const paths = (address: Json) => ({
    [sesFirst]: sesList(['example.com', 'shop@example.com', 'shop@other.example']),
    [sesDomainOf('example.com')]: sesIdentity(),
    [sesDomainOf('shop@example.com')]: address,
  })
  serve(paths(sesIdentity()))
  assert.deepEqual(await ask(sesDsn), cases['ses']?.verified)
  serve(paths(sesIdentity({ dkim: { SigningEnabled: false } })))
  assert.equal((await ask(sesDsn)).state, 'unknown')
  serve(paths(sesIdentity({ mailFrom: { MailFromDomain: 'x.example.com' } })))
  assert.equal((await ask(sesDsn)).state, 'unknown')
})

test('ses: without an identity of the domain nothing is signed for it', async () => {
  serve({ [sesFirst]: sesList(['other.example', 'com', 'shop@news.example.com']) })
  assert.deepEqual(await ask(sesDsn), {
    state: 'missing',
    detail: 'Amazon SES has no identity for example.com in the region eu-central-1.',
  })
  const address = (mailFrom: Json) => ({
    [sesFirst]: sesList(['shop@example.com']),
    [sesDomainOf('shop@example.com')]: sesIdentity({ mailFrom }),
  })
  serve(address({ MailFromDomain: undefined }))
  const state = await ask(sesDsn)
  assert.ok(state.state === 'missing')
  assert.match(state.detail, /only for addresses of it/)
  serve(address({}))
  assert.equal((await ask(sesDsn)).state, 'unknown')
})

test('ses: an account with more addresses than can be read is unknown', async () => {
  const addresses = Array.from({ length: 6 }, (_, index) => `u${index}@example.com`)
  serve({ [sesFirst]: sesList(['example.com', ...addresses]) })
  assert.equal((await ask(sesDsn)).state, 'unknown')
  assert.equal(calls.length, 1)
})

test('ses: all pages of identities are read, and a list without end is not', async () => {
  serve({
    [sesFirst]: sesList(['other.example'], 'a+b/c='),
    [`${sesFirst}&NextToken=a%2Bb%2Fc%3D`]: sesList(['Example.COM']),
    [sesDomainOf('example.com')]: sesIdentity(),
  })
  assert.equal((await ask(sesDsn)).state, 'verified')
  respond = () => ({ body: sesList(['other.example'], 'again') })
  const state = await ask(sesDsn)
  assert.ok(state.state === 'unknown')
  assert.equal(calls.length, 20)
})

test('ses: keys of the account have one selector, and newer regions another zone', async () => {
  const paths = (dkim: Json) => ({
    [sesFirst]: sesList(['example.com']),
    [sesDomainOf('example.com')]: sesIdentity({ dkim }),
  })
  serve(paths({ SigningAttributesOrigin: 'EXTERNAL', Tokens: ['mine'] }))
  const external = await ask(sesDsn)
  assert.ok(external.state === 'verified')
  assert.deepEqual(external.records, [
    { type: 'TXT', name: 'mine._domainkey.example.com', value: '' },
  ])
  serve(paths({ SigningHostedZone: 'dkim.eu-central-1.amazonses.com', Tokens: ['aaa111'] }))
  const hosted = await ask(sesDsn)
  assert.ok(hosted.state === 'verified')
  assert.equal(hosted.records[0]?.value, 'aaa111.dkim.eu-central-1.amazonses.com')
  serve(paths({ Tokens: [] }))
  assert.equal((await ask(sesDsn)).state, 'unknown')
})

test('ses: temporary credentials send their token', async () => {
  serve(cases['ses']?.paths ?? {})
  const state = await ask(`${sesDsn}&session_token=${encoded}`)
  assert.equal(state.state, 'verified')
  assert.equal(calls[0]?.headers['x-amz-security-token'], secret)
})

const mailgunDsn = cases['mailgun']?.dsn ?? ''
const mailgunPath = '/v4/domains/mg.example.com'

test('mailgun: the domain of the DSN is asked about, whatever the From domain is', async () => {
  serve({ [mailgunPath]: mailgunDomain() })
  const state = await ask(mailgunDsn, 'other.example')
  assert.ok(state.state === 'verified')
  assert.equal(state.signingDomain, 'mg.example.com')
})

test('mailgun: a parent domain that is the DKIM authority signs', async () => {
  serve({ [mailgunPath]: mailgunDomain({ authority: 'example.com' }) })
  const state = await ask(mailgunDsn)
  assert.ok(state.state === 'verified')
  assert.equal(state.signingDomain, 'example.com')
})

test('mailgun: a domain that is not active, or whose key is not found, is unverified', async () => {
  for (const change of [{ state: 'unverified' }, { state: 'disabled' }, { valid: 'unknown' }]) {
    serve({ [mailgunPath]: mailgunDomain(change) })
    assert.equal((await ask(mailgunDsn)).state, 'unverified', JSON.stringify(change))
  }
  serve({ [mailgunPath]: new Refusal(404, { message: 'Domain not found: mg.example.com' }) })
  assert.equal((await ask(mailgunDsn)).state, 'missing')
})

test('mailgun: a key that is not active does not count, and two domains of keys are unknown', async () => {
  const key = (name: string, isActive: boolean) => ({
    record_type: 'TXT',
    valid: 'invalid',
    name,
    value: 'k=rsa; p=MIGf',
    is_active: isActive,
  })
  serve({ [mailgunPath]: mailgunDomain({}, [key('old._domainkey.mg.example.com', false)]) })
  assert.equal((await ask(mailgunDsn)).state, 'verified')
  serve({ [mailgunPath]: mailgunDomain({}, [key('new._domainkey.mg.example.com', true)]) })
  assert.equal((await ask(mailgunDsn)).state, 'unverified')
  const foreign = { ...key('k1._domainkey.evil.example', true), valid: 'valid' }
  serve({ [mailgunPath]: mailgunDomain({}, [foreign]) })
  assert.equal((await ask(mailgunDsn)).state, 'unknown')
})

const resendDsn = cases['resend']?.dsn ?? ''

test('resend: records of a subdomain are named without the zone', async () => {
  serve({
    '/domains?limit=100': resendList(['news.example.com']),
    '/domains/d-1': resendDomain('news.example.com', 'example.com'),
  })
  const state = await ask(resendDsn, 'news.example.com')
  assert.ok(state.state === 'verified')
  assert.equal(state.signingDomain, 'news.example.com')
  assert.equal(state.returnPath, 'send.news.example.com')
})

test('resend: only the domain itself counts, on any page', async () => {
  serve({ '/domains?limit=100': resendList(['news.example.com']) })
  assert.equal((await ask(resendDsn)).state, 'missing')
  serve({
    '/domains?limit=100': resendList(['a.example', 'b.example'], true),
    '/domains?limit=100&after=d-2': resendList(['example.com']),
    '/domains/d-1': resendDomain('example.com', 'example.com'),
  })
  assert.equal((await ask(resendDsn)).state, 'verified')
  respond = () => ({ body: resendList(['a.example'], true) })
  assert.equal((await ask(resendDsn)).state, 'unknown')
  assert.equal(calls.length, 10)
})

test('resend: only the state "verified" is one', async () => {
  for (const [status, expected] of [
    ['not_started', 'unverified'],
    ['pending', 'unverified'],
    ['failed', 'unverified'],
    ['temporary_failure', 'unknown'],
    ['partially_verified', 'unknown'],
    ['partially_failed', 'unknown'],
  ] as const) {
    serve({
      '/domains?limit=100': resendList(['example.com']),
      '/domains/d-1': resendDomain('example.com', 'example.com', status),
    })
    const state = await ask(resendDsn)
    assert.equal(state.state, expected, status)
    if (state.state === 'unverified')
      assert.deepEqual(state.records[0], {
        type: 'MX',
        name: 'send.example.com',
        value: '10 feedback-smtp.eu-west-1.amazonses.com',
        isFound: false,
      })
  }
})

const brevoDsn = cases['brevo']?.dsn ?? ''
const brevoPath = '/v3/senders/domains/example.com'

test('brevo: a domain that is not authenticated, or whose keys are not found, is unverified', async () => {
  for (const change of [{ authenticated: false }, { status: false }]) {
    serve({ [brevoPath]: brevoDomain(change) })
    const state = await ask(brevoDsn)
    assert.ok(state.state === 'unverified', JSON.stringify(change))
    assert.equal(state.records[0]?.name, 'example.com')
  }
  serve({ [brevoPath]: new Refusal(404, { code: 'document_not_found', message: 'Not found' }) })
  assert.equal((await ask(brevoDsn)).state, 'missing')
})

test('brevo: the key of an older set-up is at "mail"', async () => {
  serve({
    [brevoPath]: {
      domain: 'example.com',
      verified: true,
      authenticated: true,
      dns_records: {
        dkim_record: {
          type: 'TXT',
          value: 'k=rsa;p=MIGf',
          host_name: 'mail._domainkey.',
          status: true,
        },
      },
    },
  })
  const state = await ask(brevoDsn)
  assert.ok(state.state === 'verified')
  assert.deepEqual(state.records, [
    { type: 'TXT', name: 'mail._domainkey.example.com', value: 'k=rsa;p=MIGf', isFound: true },
  ])
})

test('records that cannot be published are left out', async () => {
  const record = (changes: Json) => ({
    type: 'TXT',
    value: 'k=rsa;p=MIGf',
    host_name: 'mail._domainkey',
    status: false,
    ...changes,
  })
  const records = [
    { host_name: 'a b' },
    { host_name: '__proto__' },
    { host_name: 'x'.repeat(300) },
    { value: 'line\nbreak' },
    { value: 'p='.padEnd(5000, 'A') },
    { value: '' },
    { type: 'A' },
    { type: 7 },
    { status: 'x' },
  ]
  serve({
    [brevoPath]: {
      authenticated: false,
      dns_records: Object.fromEntries(records.map((one, index) => [`r${index}`, record(one)])),
    },
  })
  const state = await ask(brevoDsn)
  assert.ok(state.state === 'unverified')
  assert.deepEqual(state.records, [
    { type: 'TXT', name: '__proto__.example.com', value: 'k=rsa;p=MIGf', isFound: false },
    { type: 'TXT', name: 'mail._domainkey.example.com', value: 'k=rsa;p=MIGf' },
  ])
})
