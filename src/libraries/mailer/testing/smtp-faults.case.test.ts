import type { FaultCode } from '../delivery/fault.ts'
import type { Stage } from '../delivery/stage.ts'
import { createAuthority, createSelfSigned } from './certificates.case.test.ts'
import type { Action, Script, ScriptedServerOptions, Step } from './smtp-server.case.test.ts'

/** What follows for the message: another member may send it, no other member may send it, or the outcome is uncertain. */
export type Consequence = 'another member' | 'refused' | 'uncertain'

/** One fault of a server and its expected result. */
export interface SmtpFault {
  name: string
  server: ScriptedServerOptions
  /** The DSN, with `HOST` for host and port. Default: smtp, no user. */
  dsn?: string
  /** The server says nothing more, so that only a time limit ends it. */
  isSilent?: boolean
  /** A message of some megabytes instead of a short one. */
  isLarge?: boolean
  stage: Stage
  code: FaultCode
  consequence: Consequence
  isPermanent: boolean
  hint?: RegExp
  message?: RegExp
}

export const password = 'S3cret/pass+word'
const login = `smtp://user:${encodeURIComponent(password)}@HOST`
const loginOffered = { extensions: ['AUTH PLAIN'] }

export const authority = createAuthority()
const stranger = createAuthority('Stranger')
const day = 24 * 3600 * 1000
const certificates = {
  good: authority.issue({ names: ['localhost'] }),
  selfSigned: createSelfSigned({ names: ['localhost'] }),
  unknownAuthority: stranger.issue({ names: ['localhost'] }),
  wrongName: authority.issue({ names: ['mail.other.example'] }),
  expired: authority.issue({
    names: ['localhost'],
    notBefore: new Date(Date.now() - 90 * day),
    notAfter: new Date(Date.now() - day),
  }),
  notYetValid: authority.issue({ names: ['localhost'], notBefore: new Date(Date.now() + day) }),
}

export const goodCertificate = certificates.good

const showing = (name: keyof typeof certificates): Partial<SmtpFault> => ({
  server: { certificate: certificates[name] },
})

const close = { end: 'close' } as const
const reset = { end: 'reset' } as const
const hang = { end: 'hang' } as const
const garbage = { bytes: 'HTTP/1.1 400 Bad Request\r\n\r\n', end: 'hang' } as const
const closing = { say: '421 4.3.0 Closing', end: 'close' } as const
const noise = { bytes: Buffer.from([0x15, 0x03, 0x01, 0, 2, 2, 0x28, 0x0a]), end: 'hang' } as const

/** The faults of the message itself, and whether each is for good. Any other is of the member, and another one may send. */
const messageFaults: Partial<Record<FaultCode, boolean>> = {
  deferred: false,
  recipient_deferred: false,
  sender_refused: true,
  too_large: true,
  recipient_unknown: true,
  relay_denied: true,
  recipient_refused: true,
  message_refused: true,
}

/** What the server does, the fault, and what else differs; or only the hint. */
type FaultRow = [script: Script, code: FaultCode, more?: Partial<SmtpFault> | RegExp]

/** Completes the faults of a table, by what the server does. */
function faultsOf(
  common: Pick<SmtpFault, 'stage'> & Partial<SmtpFault>,
  rows: Record<string, FaultRow>,
): SmtpFault[] {
  return Object.entries(rows).map(([name, [script, code, other]]) => {
    const more = other instanceof RegExp ? { hint: other } : other
    return {
      name,
      code,
      consequence: code in messageFaults ? 'refused' : 'another member',
      isPermanent: messageFaults[code] ?? false,
      ...common,
      ...more,
      server: { script, ...common.server, ...more?.server },
    }
  })
}

/** What a server can do in every step instead of a reply. */
const noReplies: [what: string, action: Action, code: FaultCode][] = [
  ['closes', close, 'connection_closed'],
  ['resets', reset, 'connection_closed'],
  ['does not answer', hang, 'stalled'],
  ['sends garbage', garbage, 'protocol_violated'],
  ['answers with 421', closing, 'server_busy'],
]

const noRepliesAt = (step: Step): Record<string, FaultRow> =>
  Object.fromEntries(
    noReplies.map(([what, action, code]) => [`${what} at ${step}`, [{ [step]: action }, code]]),
  )

const greeting = faultsOf(
  { stage: 'greeting' },
  {
    'closes before the greeting': [{ connect: close }, 'connection_closed', /smtps/],
    'resets before the greeting': [{ connect: reset }, 'connection_closed'],
    'says nothing': [{ connect: hang }, 'greeting_missing', /smtps:\/\/.*port 25/],
    'greets with 421': [{ greeting: '421 4.3.2 Too many connections' }, 'greeting_busy'],
    'greets with 554': [{ greeting: '554 5.7.1 Blocked' }, 'greeting_refused', /block list/],
    'speaks HTTP': [{ greeting: garbage }, 'not_smtp', { message: /HTTP\/1\.1 400/, hint: /587/ }],
    'greets with bytes that are no text': [{ greeting: noise }, 'not_smtp'],
    'greets without an end': [{ greeting: { bytes: 'x'.repeat(40_000), end: 'hang' } }, 'not_smtp'],
    'closes in the greeting': [
      { greeting: { bytes: '220-hal', end: 'close' } },
      'connection_closed',
    ],
    'stops in the greeting': [
      { greeting: { bytes: '220-half\r\n', end: 'hang' } },
      'greeting_missing',
    ],
    'greets with two codes': [{ greeting: '220-one\r\n250 two' }, 'not_smtp'],
  },
)

const implicit = 'smtps://HOST'
const implicitTls = faultsOf(
  { stage: 'tls', dsn: implicit, server: { tls: 'implicit', certificate: certificates.good } },
  {
    'speaks no TLS': [
      {},
      'tls_not_spoken',
      { server: { tls: undefined }, hint: /smtp:\/\/ \(STARTTLS\)/ },
    ],
    'does not answer the handshake': [{ connect: hang }, 'tls_failed', { isSilent: true }],
    'closes in the handshake': [{ connect: close }, 'tls_failed'],
    'resets in the handshake': [{ connect: reset }, 'tls_failed'],
    'answers the handshake with an alert': [
      { connect: { bytes: Buffer.from([0x15, 3, 3, 0, 2, 2, 0x28]), end: 'hang' } },
      'tls_failed',
    ],
    'has a self-signed certificate': [
      {},
      'certificate_untrusted',
      { ...showing('selfSigned'), hint: /peer_fingerprint/ },
    ],
    'has a certificate of an unknown authority': [
      {},
      'certificate_untrusted',
      showing('unknownAuthority'),
    ],
    'has a certificate for another name': [
      {},
      'certificate_wrong_name',
      { ...showing('wrongName'), message: /for "mail\.other\.example", not for "localhost"/ },
    ],
    'has an expired certificate': [{}, 'certificate_expired', showing('expired')],
    'has a certificate of tomorrow': [
      {},
      'certificate_expired',
      { ...showing('notYetValid'), message: /not valid yet/, hint: /clock/ },
    ],
    'offers only TLS 1.1': [
      {},
      'tls_outdated',
      {
        server: {
          secureOptions: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
        },
        hint: /TLS 1\.2/,
      },
    ],
    'has another fingerprint': [
      {},
      'certificate_wrong_fingerprint',
      { dsn: `${implicit}?peer_fingerprint[sha256]=${'ab'.repeat(32)}` },
    ],
    'has another fingerprint and is not verified': [
      {},
      'certificate_wrong_fingerprint',
      {
        ...showing('selfSigned'),
        dsn: `${implicit}?verify_peer=0&peer_fingerprint=${'ab'.repeat(20)}`,
      },
    ],
    'closes after the handshake': [{ greeting: close }, 'connection_closed', { stage: 'greeting' }],
  },
)

const required = 'smtp://HOST?require_tls=1'
const startTls = faultsOf(
  { stage: 'tls', dsn: required, server: { tls: 'starttls', certificate: certificates.good } },
  {
    'offers no STARTTLS': [{}, 'starttls_missing', { server: { tls: undefined }, hint: /465/ }],
    'refuses STARTTLS for now': [{ starttls: '454 4.7.0 TLS not available' }, 'starttls_refused'],
    'refuses the STARTTLS that it offers, though it is not required': [
      { starttls: '454 4.7.0 No' },
      'starttls_refused',
      { dsn: 'smtp://HOST' },
    ],
    ...noRepliesAt('starttls'),
    'answers with 421 at starttls': [{ starttls: closing }, 'starttls_refused'],
    'sends more than one reply before the handshake': [
      { starttls: { bytes: '220 Go\r\n250 injected\r\n', end: 'hang' } },
      'protocol_violated',
    ],
    'closes in the handshake after STARTTLS': [{ handshake: close }, 'tls_failed'],
    'does not answer the handshake after STARTTLS': [
      { handshake: hang },
      'tls_failed',
      { isSilent: true, hint: /ask its operator/ },
    ],
    'answers the handshake after STARTTLS with garbage': [
      { handshake: garbage },
      'tls_not_spoken',
      {
        message: /accepted STARTTLS on port \d+, but its next reply is not TLS\.$/,
        hint: /^The server, or a proxy in front of it, is at fault; ask its operator\.$/,
      },
    ],
    'has a self-signed certificate behind STARTTLS': [
      {},
      'certificate_untrusted',
      showing('selfSigned'),
    ],
    'has an expired certificate behind STARTTLS': [
      {},
      'certificate_expired',
      { ...showing('expired'), dsn: 'smtp://HOST' },
    ],
    'closes at the EHLO after STARTTLS': [
      { ehlo: (_line, before) => (before % 2 === 1 ? close : '250-test\r\n250 STARTTLS') },
      'connection_closed',
      { stage: 'ehlo' },
    ],
  },
)

const hello = faultsOf(
  { stage: 'ehlo' },
  {
    ...noRepliesAt('ehlo'),
    'refuses EHLO and HELO': [{ ehlo: '550 5.7.1 No', helo: '550 5.7.1 No' }, 'name_refused'],
    'refuses EHLO by our name and accepts HELO, when the DSN has a user': [
      { ehlo: '550 5.7.1 Bad name' },
      'name_refused',
      { dsn: login, message: /refused EHLO.*550 5\.7\.1 Bad name/, hint: /local_domain/ },
    ],
    'knows HELO only, where the DSN requires TLS': [
      { ehlo: '502 Unknown command' },
      'name_refused',
      { dsn: 'smtp://HOST?require_tls=1', hint: /another port/ },
    ],
    'closes at HELO': [{ ehlo: '502 No', helo: close }, 'connection_closed'],
  },
)

const auth = faultsOf(
  { stage: 'auth', dsn: login, server: loginOffered },
  {
    'refuses the log-in': [{ auth: '535 5.7.8 Authentication failed' }, 'login_refused'],
    'refuses the log-in and repeats the password': [
      { auth: `535 5.7.8 Password ${password} for user is wrong` },
      'login_refused',
    ],
    'refuses the log-in and repeats it in base64': [
      { auth: (line) => `535 5.7.8 Bad ${line}` },
      'login_refused',
      { dsn: login.replace('user', 'joe') },
    ],
    'refuses the log-in and closes before the next mechanism': [
      { auth: (_line, before) => (before % 2 === 0 ? '535 5.7.8 Wrong password' : close) },
      'login_refused',
      { server: { extensions: ['AUTH PLAIN LOGIN'] }, message: /535 5\.7\.8/ },
    ],
    'cannot check log-ins now': [{ auth: '454 4.7.0 Temporary failure' }, 'login_unavailable'],
    ...noRepliesAt('auth'),
    'offers no log-in': [
      {},
      'login_not_offered',
      { server: { extensions: [] }, hint: /TLS.*or remove user/ },
    ],
    'offers only log-ins that cannot be used': [
      {},
      'login_not_offered',
      { server: { extensions: ['AUTH GSSAPI NTLM'] }, message: /GSSAPI, NTLM/ },
    ],
    'wants TLS before a log-in': [{ auth: '538 5.7.11 Encryption required' }, 'tls_required'],
    'has a user without a password': [{}, 'password_missing', { dsn: 'smtp://user@HOST' }],
    'challenges without an end': [{ auth: '334 Zg==', answer: '334 Zg==' }, 'login_refused'],
  },
)

const sender = faultsOf(
  { stage: 'sender' },
  {
    ...noRepliesAt('mail'),
    'is out of space at MAIL': [{ mail: '452 4.3.1 Insufficient storage' }, 'server_fault'],
    'throttles at MAIL': [{ mail: '450 4.7.1 Rate limit exceeded' }, 'throttled'],
    'wants a log-in at MAIL': [
      { mail: '530 5.7.0 Authentication required' },
      'login_required',
      /DSN/,
    ],
    'wants TLS at MAIL': [
      { mail: '530 5.7.0 Must issue a STARTTLS command first' },
      'tls_required',
      /587/,
    ],
    'defers the sender': [{ mail: '451 4.1.8 Domain does not resolve' }, 'deferred'],
    'refuses the sender': [{ mail: '550 5.7.1 Not yours' }, 'sender_refused', /Verify/],
    'refuses the size at MAIL': [{ mail: '552 5.3.4 Message size exceeds limit' }, 'too_large'],
    'accepts no message of this size': [
      {},
      'too_large',
      { server: { extensions: ['SIZE 1000'] }, isLarge: true, message: /1000 bytes/ },
    ],
  },
)

const recipient = faultsOf(
  { stage: 'recipient' },
  {
    ...noRepliesAt('rcpt'),
    greylists: [
      { rcpt: '450 4.2.0 Greylisted, try again in 300 seconds' },
      'recipient_deferred',
      /greylisting.*settings are probably correct/,
    ],
    'defers the recipient': [{ rcpt: '451 4.3.0 Temporary lookup failure' }, 'recipient_deferred'],
    'has a full mailbox for now': [{ rcpt: '452 4.2.2 Quota exceeded' }, 'recipient_deferred'],
    'does not know the recipient': [
      { rcpt: '550 5.1.1 No such user here' },
      'recipient_unknown',
      { message: /connection itself works/ },
    ],
    'does not relay': [
      { rcpt: '554 5.7.1 <jane@example.net>: Relay access denied' },
      'relay_denied',
      /Log in/,
    ],
    'refuses the recipient': [{ rcpt: '553 5.1.3 Bad destination' }, 'recipient_refused'],
    'does not believe the sender': [
      { rcpt: '550 5.7.26 Unauthenticated email from brand.test is not accepted' },
      'recipient_refused',
      /SPF, DKIM and DMARC/,
    ],
    'has a limit, in words beside a code of the address': [
      { rcpt: '550 5.1.1 Too many recipients this hour' },
      'recipient_refused',
    ],
  },
)

const data = faultsOf(
  { stage: 'data' },
  {
    ...noRepliesAt('data'),
    'reports an error at DATA': [{ data: '451 4.3.5 Server error' }, 'server_fault'],
    'defers at DATA': [{ data: '451 4.7.1 Try later' }, 'deferred'],
    'refuses DATA': [{ data: '554 5.5.1 No' }, 'message_refused'],
    'answers DATA with 250': [{ data: '250 Ok?' }, 'protocol_violated'],
  },
)

const middle = faultsOf(
  { stage: 'data', isLarge: true },
  {
    'closes in the middle of the message': [{ body: close }, 'connection_closed'],
    'resets in the middle of the message': [{ body: reset }, 'connection_closed'],
    'sends garbage in the middle of the message': [{ body: garbage }, 'protocol_violated'],
    'answers with 421 in the middle of the message': [{ body: closing }, 'server_busy'],
    'stops reading in the middle of the message': [{ body: { stopReading: true } }, 'stalled'],
    'refuses in the middle of the message': [
      { body: { say: '552 5.3.4 Message size exceeds limit', end: 'hang' } },
      'too_large',
    ],
    'accepts in the middle of the message': [
      { body: { say: '250 Ok', end: 'hang' } },
      'protocol_violated',
    ],
  },
)

const uncertain = faultsOf(
  { stage: 'data', consequence: 'uncertain', message: /may have arrived/, hint: /Look for it/ },
  {
    'closes after the message': [{ dot: close }, 'connection_closed'],
    'closes after a large message': [{ dot: close }, 'connection_closed', { isLarge: true }],
    'resets after the message': [{ dot: reset }, 'connection_closed'],
    'does not answer the message': [{ dot: hang }, 'stalled'],
    'answers the message with garbage': [{ dot: garbage }, 'protocol_violated'],
    'answers the message with 354': [{ dot: '354 More' }, 'protocol_violated'],
    'closes in its answer': [{ dot: { bytes: '250 2.0', end: 'close' } }, 'connection_closed'],
    'stops in its answer': [{ dot: { bytes: '250-2.0.0 half\r\n', end: 'hang' } }, 'stalled'],
    'closes with the message half read': [{ body: close }, 'connection_closed'],
  },
)

const end = faultsOf(
  { stage: 'data' },
  {
    'answers the message with 421': [{ dot: closing }, 'server_busy'],
    'is out of space after the message': [{ dot: '452 4.3.1 Out of space' }, 'server_fault'],
    'throttles after the message': [
      { dot: '454 Throttling failure: Maximum sending rate exceeded.' },
      'throttled',
      /max_per_second/,
    ],
    'defers the message': [{ dot: '451 4.7.1 Try later' }, 'deferred'],
    'wants fewer recipients': [{ dot: '452 4.5.3 Too many recipients' }, 'deferred'],
    'refuses the message': [{ dot: '554 5.7.1 Spam' }, 'message_refused', { message: /Spam/ }],
    'refuses the message as too large at its end': [{ dot: '552 5.3.4 Too big' }, 'too_large'],
  },
)

/** Whether only a time limit ends it. */
export function isSilent({ code, isSilent: says }: SmtpFault): boolean {
  return says === true || code === 'stalled' || code === 'greeting_missing'
}

/** Every fault of a server. */
export const smtpFaults: readonly SmtpFault[] = [
  ...greeting,
  ...implicitTls,
  ...startTls,
  ...hello,
  ...auth,
  ...sender,
  ...recipient,
  ...data,
  ...middle,
  ...uncertain,
  ...end,
]
