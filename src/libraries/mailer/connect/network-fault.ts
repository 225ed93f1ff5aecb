import type { FaultCode } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { Stage } from '../delivery/stage.ts'
import type { OutboundRefusal } from '../policy/outbound-policy.ts'
import { type Endpoint, type EndpointProtocol, endpointName } from './endpoint.ts'

// What the errors of the resolver, of sockets and of TLS mean, for SMTP and for HTTP.

/** The fault code of a system error, a message and a hint. */
type Explanation = readonly [code: FaultCode, message: string, hint: string]

type NetworkError = NodeJS.ErrnoException | undefined

function fault(stage: Stage, [code, message, hint]: Explanation, cause?: unknown): FaultError {
  return new FaultError({ code, stage, message, hint }, { cause })
}

/** Explains why a host was not found. Without an error it has no address. */
export function lookupFault(host: string, error?: NetworkError): FaultError {
  const code = error === undefined ? 'ENOTFOUND' : error.code
  const notFound = `The host "${host}" was not found.`
  if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'ENONAME')
    return fault('resolve', ['host_not_found', notFound, 'Check the host name.'], error)
  const message = `The name "${host}" could not be looked up (${code ?? 'unknown reason'}).`
  const hint =
    'The DNS server of this machine does not answer. Try again, and check the DNS settings.'
  return fault('resolve', ['lookup_failed', message, hint], error)
}

const refusals: Record<OutboundRefusal, readonly [message: string, hint: string]> = {
  closed: [
    'is a link-local, metadata or multicast address, which is never allowed',
    'Use a mail server with another address.',
  ],
  private: [
    'is in a private network, and addresses in private networks are not allowed here',
    "The operator can add it to the outbound policy's allow-list.",
  ],
  denied: ["is on the operator's deny-list", 'The operator can take it off the list.'],
  port: [
    'has a port that is not for mail',
    "Use 587, 465, 25 or 2525, or have the operator add it to the outbound policy's allow-list.",
  ],
}

const refusedApiPort: typeof refusals.port = [
  'has a port that is not for an API',
  "Use 443 or 8443, or have the operator add it to the outbound policy's allow-list.",
]

/** Explains why the outbound policy refuses an endpoint. The address of an internal host name is not shown to outsiders. */
export function refusedFault(endpoint: Endpoint, refusal: OutboundRefusal): FaultError {
  const isPort = refusal === 'port'
  const [message, hint] = isPort && !isSmtp(endpoint) ? refusedApiPort : refusals[refusal]
  const code = isPort ? 'port_blocked' : 'address_blocked'
  return fault('resolve', [code, `${endpointName(endpoint)} ${message}.`, hint])
}

/** Explains why a connection failed. */
export function connectFault(endpoint: Endpoint, error: NetworkError): FaultError {
  return fault('connect', explainConnect(endpoint, codeOf(error) ?? 'network error'), error)
}

function explainConnect(endpoint: Endpoint, code: string): Explanation {
  const name = endpointName(endpoint)
  const { sourceAddress } = endpoint
  if (code === 'ECONNREFUSED')
    return [
      'connection_refused',
      `Nothing answers at ${name} (connection refused).`,
      isSmtp(endpoint)
        ? 'Check the port (587, 465, 25 or 2525) and the firewall.'
        : 'Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.',
    ]
  if (code === 'ETIMEDOUT') return noAnswer(endpoint, '')
  if (sourceAddress !== null && (code === 'EADDRNOTAVAIL' || code === 'EINVAL'))
    return [
      'source_forbidden',
      `This machine cannot connect from ${sourceAddress}.`,
      'Set source_ip to an address of this machine.',
    ]
  return [
    'unreachable',
    `${name} cannot be reached (${code}).`,
    'Check the host and the network of this machine.',
  ]
}

/** Explains a connection that was not made in time. */
export function connectTimeout(endpoint: Endpoint, timeoutMs: number): FaultError {
  return fault('connect', noAnswer(endpoint, ` in ${timeoutMs / 1000} s`))
}

function noAnswer(endpoint: Endpoint, time: string): Explanation {
  return [
    'no_answer',
    `${endpointName(endpoint)} did not answer${time}.`,
    `Check host and port.${endpoint.port === 25 ? ' Many hosting providers block port 25; try 587.' : ' A firewall may drop the connection.'}`,
  ]
}

/** Returns the code of an error. With several addresses it is the code of the first. */
function codeOf(error: NetworkError): string | undefined {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : []
  return first?.code ?? error?.code
}

const untrusted =
  /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)|CERT_(UNTRUSTED|SIGNATURE_FAILURE|REVOKED)|INVALID_(CA|PURPOSE)/
const notSpoken = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST/
const outdated =
  /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|DH_KEY_TOO_SMALL|NO_CIPHERS|LEGACY_SIGALG/

const checkHttps = 'Check the host and the port: an API is reached over HTTPS, usually at port 443.'
const askOperator = 'The server, or a proxy in front of it, is at fault; ask its operator.'
const notSpokenHint = 'Use smtp:// (STARTTLS), usually with port 587.'
const failedHint =
  'The port may not speak TLS, or may require a client certificate; try another port.'

/** With STARTTLS the DSN is correct: it was sent and accepted. */
function tlsHint(protocol: EndpointProtocol, ofSmtps: string): string {
  if (protocol === 'smtps') return ofSmtps
  return protocol === 'smtp' ? askOperator : checkHttps
}

/** Explains why a handshake failed. Without an error the server closed the connection. */
export function tlsFault(endpoint: Endpoint, error: NetworkError): FaultError {
  return fault('tls', explainTls(endpoint, error), error)
}

function explainTls(endpoint: Endpoint, error: NetworkError): Explanation {
  const { host, port, protocol } = endpoint
  const code = error?.code ?? ''
  const words = `${code} ${error?.message ?? ''}`.toUpperCase().replaceAll(' ', '_')
  if (untrusted.test(code))
    return [
      'certificate_untrusted',
      `The certificate of ${host} is not trusted (${code}).`,
      isSmtp(endpoint)
        ? 'Install a valid certificate, or, only in your own network, pin it with peer_fingerprint or set verify_peer=0.'
        : 'Install a valid certificate of an authority that this machine trusts, or name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS, and restart.',
    ]
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return [
      'certificate_wrong_name',
      `The certificate is for "${certificateNames(error)}", not for "${host}".`,
      'Use a host name of the certificate.',
    ]
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return [
      'certificate_expired',
      `The certificate of ${host} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}.`,
      'Renew it at the server; check the clock of this machine too.',
    ]
  if (notSpoken.test(words))
    return [
      'tls_not_spoken',
      protocol === 'smtp'
        ? `The server accepted STARTTLS on port ${port}, but its next reply is not TLS.`
        : `The server does not speak TLS on port ${port}.`,
      tlsHint(protocol, notSpokenHint),
    ]
  if (outdated.test(words))
    return [
      'tls_outdated',
      `The server ${host} offers only an outdated TLS version.`,
      'It must offer TLS 1.2 or later; have it updated.',
    ]
  const isClosed = error === undefined || code === 'ECONNRESET' || code === 'EPIPE'
  return [
    'tls_failed',
    isClosed
      ? `${endpointName(endpoint)} closed the connection during the TLS handshake.`
      : `The TLS handshake with ${endpointName(endpoint)} failed (${code || 'unknown reason'}).`,
    tlsHint(protocol, failedHint),
  ]
}

/** Returns the first names of the certificate that an error is about. */
function certificateNames(error: NetworkError): string {
  const { cert } = error as { cert?: { subjectaltname?: string; subject?: { CN?: string } } }
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '')
  return names.slice(0, 3).join('", "') || (cert?.subject?.CN ?? 'no name')
}

/** Explains a certificate that is not the pinned one. */
export function wrongFingerprint({ host }: Endpoint): FaultError {
  return fault('tls', [
    'certificate_wrong_fingerprint',
    `The certificate of ${host} does not have the given peer_fingerprint.`,
    'If the server has a new certificate, set its new fingerprint. If it does not, the connection is being intercepted.',
  ])
}

/** Explains a handshake that did not finish in time. */
export function handshakeTimeout(endpoint: Endpoint, timeoutMs: number): FaultError {
  const { port, protocol } = endpoint
  const message = `${endpointName(endpoint)} did not finish the TLS handshake in ${timeoutMs / 1000} s.`
  const plainText = port === 465 ? '' : '; with smtp:// the session begins in plain text'
  const hint = tlsHint(protocol, `The port may not speak TLS${plainText}.`)
  return fault('tls', ['tls_failed', message, hint])
}

function isSmtp({ protocol }: Endpoint): boolean {
  return protocol === 'smtp' || protocol === 'smtps'
}
