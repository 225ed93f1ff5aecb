import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FaultCode } from '../delivery/fault.ts'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { maskDsn } from '../dsn/mask-dsn.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import { type ApiServer, json, startApiServer } from '../testing/api-server.case.test.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import { sendOnce } from '../testing/sample-message.case.test.ts'
import { type Script, startScriptedServer } from '../testing/smtp-server.case.test.ts'

function settingsOf(dsn: string) {
  const parsed = parseDsn(dsn)
  assert.ok(parsed.kind === 'smtp')
  return parsed.settings
}

const microsoft = 'office365+oauth://APP:SECRET@default?tenantId=contoso.example'
const url = 'tokenUrl=https%3A%2F%2Flogin.example.com%2Ftoken'

/** Server, TLS and token endpoint of each DSN. */
const targets: Record<string, string> = {
  [microsoft]:
    'smtp.office365.com:587 starttls https://login.microsoftonline.com/contoso.example/oauth2/v2.0/token https://outlook.office365.com/.default',
  [`${microsoft}&authEndpoint=login.microsoftonline.us`]:
    'smtp.office365.us:587 starttls https://login.microsoftonline.us/contoso.example/oauth2/v2.0/token https://outlook.office365.us/.default',
  [`${microsoft}&authEndpoint=login.partner.microsoftonline.cn`]:
    'smtp.partner.outlook.cn:587 starttls https://login.partner.microsoftonline.cn/contoso.example/oauth2/v2.0/token https://partner.outlook.cn/.default',
  'gmail+oauth://CLIENT:SECRET@default?refreshToken=T':
    'smtp.gmail.com:465 implicit https://oauth2.googleapis.com/token null',
  [`smtp+oauth://C:S@mail.example.com?${url}`]:
    'mail.example.com:587 starttls https://login.example.com/token null',
  [`smtp+oauth://C:S@mail.example.com:465?${url}&scope=a%20b`]:
    'mail.example.com:465 implicit https://login.example.com/token a b',
  [`smtp+oauth://C:S@mail.example.com:25?${url}`]:
    'mail.example.com:25 starttls https://login.example.com/token null',
  [`smtp+oauth://C:S@localhost:2525?${url}`]:
    'localhost:2525 opportunistic https://login.example.com/token null',
}

for (const [dsn, target] of Object.entries(targets))
  test(`${dsn} has its server, its encryption and its token endpoint`, () => {
    const { host, port, tls, oauth } = settingsOf(dsn)
    const { tokenUrl, scope } = oauth?.grant ?? {}
    assert.equal(`${host}:${port} ${tls} ${tokenUrl} ${scope}`, target)
  })

test('a mailbox of Microsoft has three connections and 30 messages a minute, or what the DSN says', () => {
  const { connectionsMax, maxPerMinute } = settingsOf(microsoft)
  assert.deepEqual({ connectionsMax, maxPerMinute }, { connectionsMax: 3, maxPerMinute: 30 })
  const own = settingsOf(`${microsoft}&max_connections=2&max_per_minute=0`)
  assert.equal(own.connectionsMax, 2)
  assert.equal(own.maxPerMinute, null)
  assert.equal(settingsOf(`smtp+oauth://C:S@mail.example.com?${url}`).maxPerMinute, null)
})

/** What is wrong, and what the error says. */
const faulty: Record<string, RegExp> = {
  'office365+oauth://default?tenantId=t': /application \(client\) id/,
  'office365+oauth://APP@default?tenantId=t': /client secret/,
  'office365+oauth://APP:SECRET@default': /tenantId must be/,
  'office365+oauth://APP:SECRET@default?tenantId=t&max_per_minute=x': /max_per_minute must be/,
  'gmail+oauth://CLIENT:SECRET@default': /refreshToken, or the option key/,
  'gmail+oauth://ACCOUNT@default?key=bm90IGEga2V5': /key must be the private key/,
  'gmail+oauth://default?refreshToken=T': /client id/,
  'smtp+oauth://C:S@mail.example.com': /needs the option tokenUrl/,
  'smtp+oauth://C:S@mail.example.com?tokenUrl=login': /tokenUrl must be a URL/,
  'smtp+oauth://C:S@mail.example.com?tokenUrl=https%3A%2F%2Fu%3Ap%40login.example.com%2F':
    /tokenUrl must be a URL/,
  [`smtp+oauth://C@mail.example.com?${url}`]: /client secret/,
}

for (const [dsn, says] of Object.entries(faulty))
  test(`${dsn} is refused with what it needs`, () => {
    const inspection = inspectDsn(dsn)
    assert.equal(inspection.valid, false)
    assert.match(inspection.valid ? '' : inspection.error, says)
  })

test('secret, refresh token and key are masked, and the rest is shown', () => {
  for (const [dsn, masked] of [
    [
      'gmail+oauth://C:S3CRET@default?refreshToken=T0KEN&mailbox=a%40example.com',
      'gmail+oauth://C:********@default?refreshToken=********&mailbox=a%40example.com',
    ],
    [
      'gmail+oauth://a%40b.example@default?key=K3Y',
      'gmail+oauth://a%40b.example@default?key=********',
    ],
    [
      'office365+oauth://APP:S3CRET@default?tenantId=t',
      'office365+oauth://APP:********@default?tenantId=t',
    ],
  ] as const)
    assert.equal(maskDsn(dsn), masked)
})

const authority = createAuthority()
let login: ApiServer
before(async () => {
  login = await startApiServer(authority.issue({ names: ['localhost'] }))
})
after(() => login.close())

const granted = json(200, { token_type: 'Bearer', expires_in: 3599, access_token: 'T0K3N' })

/** Sends a message through a server that refuses log-ins, or messages, with a reply. */
async function faultOf(dsn: string, script: Script = {}) {
  const server = await startScriptedServer({
    extensions: ['AUTH XOAUTH2'],
    script,
  })
  try {
    const target = dsn.replace('SMTP', `localhost:${server.port}`)
    const { fault } = await sendOnce(target, { certificates: [authority.cert] })
    assert.ok(fault !== null)
    return fault
  } finally {
    await server.close()
  }
}

const entra = () => `office365+oauth://APP:SECRET@SMTP?tenantId=t&authEndpoint=${login.host}`
const google = () =>
  `gmail+oauth://C:S@SMTP?refreshToken=T&tokenUrl=${encodeURIComponent(`https://${login.host}/token`)}`

/**
 * Answers of Microsoft Entra ID and of Google, as their pages have them.
 * @see https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 * @see https://developers.google.com/identity/protocols/oauth2/web-server#exchange-errors
 */
const tokenErrors: [
  dsn: () => string,
  status: number,
  error: string,
  text: string,
  hint: RegExp,
][] = [
  [
    entra,
    401,
    'invalid_client',
    'AADSTS7000215: Invalid client secret provided. Trace ID: 1 Correlation ID: 2',
    /value of the client secret, not its id/,
  ],
  [
    entra,
    401,
    'invalid_client',
    "AADSTS7000222: The provided client secret keys for app '1' are expired. Trace ID: 1",
    /secret has expired. Create another/,
  ],
  [
    entra,
    400,
    'unauthorized_client',
    "AADSTS700016: Application '1' was not found in the directory 'Contoso'. Trace ID: 1",
    /not in this tenant/,
  ],
  [
    entra,
    400,
    'invalid_request',
    "AADSTS90002: Tenant 't' not found. Trace ID: 1",
    /Check tenantId/,
  ],
  [
    entra,
    400,
    'invalid_client',
    'AADSTS7000229: The client application 1 is missing service principal in the tenant t.',
    /no service principal/,
  ],
  [
    google,
    400,
    'invalid_grant',
    'Token has been expired or revoked.',
    /testing expires after 7 days/,
  ],
  [google, 401, 'invalid_client', 'The client was not found.', /client id and the client secret/],
  [google, 401, 'unauthorized_client', 'Unauthorized', /another OAuth client/],
]

for (const [dsn, status, error, text, hint] of tokenErrors)
  test(`"${error}" with "${text.slice(0, 40)}…" has its remedy`, async () => {
    login.respondWith(json(status, { error, error_description: text }))
    const fault = await faultOf(dsn())
    assert.deepEqual([fault.stage, fault.scope], ['token', 'member'])
    assert.equal(fault.code, 'credentials_refused')
    const issuer = dsn === google ? 'Google' : 'Microsoft Entra ID'
    assert.ok(fault.message.startsWith(`${issuer} does not accept the credentials: `))
    assert.doesNotMatch(fault.message, /Trace ID|Correlation/)
    assert.match(fault.hint, hint)
  })

/** Replies of Exchange Online and of Google after a good token. */
const replies: [dsn: () => string, script: Script, code: FaultCode, hint: RegExp][] = [
  [
    entra,
    { auth: '535 5.7.3 Authentication unsuccessful [AM0P123]' },
    'token_refused',
    /object id of the enterprise application/,
  ],
  [
    entra,
    { auth: '535 5.7.139 SmtpClientAuthentication is disabled for the Mailbox.' },
    'token_refused',
    /SMTP AUTH is disabled/,
  ],
  [
    entra,
    { mail: '430 4.2.0 STOREDRV; mailbox logon failure; ConcurrentConnections' },
    'deferred',
    /three connections and 30 messages a minute/,
  ],
  [
    entra,
    { dot: '554 5.2.252 SendAsDenied; a@example.com not allowed to send as b@example.com' },
    'message_refused',
    /"Send as" permission/,
  ],
  [google, { mail: '555 5.5.2 Syntax error, cannot decode response' }, 'sender_refused', /mailbox/],
]

for (const [dsn, script, code, hint] of replies)
  test(`the reply ${JSON.stringify(script)} has its remedy`, async () => {
    login.respondWith(granted)
    const fault = await faultOf(dsn(), script)
    assert.equal(fault.code, code)
    assert.match(fault.hint, hint)
  })
