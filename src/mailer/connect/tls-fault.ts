import type { FaultCode } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { type Endpoint, type EndpointProtocol, endpointName } from './endpoint.ts'

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'CERT_REVOKED',
])

const notSpoken = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST/
const outdated =
  /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|DH_KEY_TOO_SMALL|NO_CIPHERS|LEGACY_SIGALG/

const checkHttps =
  'Check the host and the port in the DSN: an API is reached over HTTPS, usually at port 443.'
const askOperator = 'The server, or a proxy in front of it, is at fault; ask its operator.'

const notSpokenHints: Record<EndpointProtocol, string> = {
  smtps: 'Use smtp:// (STARTTLS), usually with port 587.',
  // The DSN is correct: STARTTLS was sent and accepted.
  smtp: askOperator,
  https: checkHttps,
  http: checkHttps,
}
const failedHints: Record<EndpointProtocol, string> = {
  smtps: 'The port may not speak TLS, or may require a client certificate; try another port.',
  smtp: askOperator,
  https: checkHttps,
  http: checkHttps,
}

/** Explains why a handshake failed. Without an error the server closed the connection. */
export function tlsFault(endpoint: Endpoint, error: NodeJS.ErrnoException | undefined): FaultError {
  const { host, port, protocol } = endpoint
  const code = `${error?.code ?? ''} ${error?.message ?? ''}`.toUpperCase().replaceAll(' ', '_')
  const own = error?.code ?? ''
  if (untrusted.has(own))
    return fault('certificate_untrusted', error, {
      message: `The certificate of ${host} is not trusted (${own}).`,
      hint:
        protocol === 'https'
          ? 'Install a valid certificate: that of an API must come from an authority that this machine trusts.'
          : 'Install a valid certificate, or, only in your own network, pin it with peer_fingerprint or set verify_peer=0.',
    })
  if (own === 'ERR_TLS_CERT_ALTNAME_INVALID') return wrongName(endpoint, error)
  if (own === 'CERT_HAS_EXPIRED' || own === 'CERT_NOT_YET_VALID')
    return fault('certificate_expired', error, {
      message: `The certificate of ${host} ${own === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}.`,
      hint: 'Renew it at the server; check the clock of this machine too.',
    })
  if (notSpoken.test(code))
    return fault('tls_not_spoken', error, {
      message:
        protocol === 'smtp'
          ? `The server accepted STARTTLS on port ${port}, but its next reply is not TLS.`
          : `The server does not speak TLS on port ${port}.`,
      hint: notSpokenHints[protocol],
    })
  if (outdated.test(code))
    return fault('tls_outdated', error, {
      message: `The server ${host} offers only an outdated TLS version.`,
      hint: 'It must offer TLS 1.2 or later; have it updated.',
    })
  const isClosed = error === undefined || own === 'ECONNRESET' || own === 'EPIPE'
  return fault('tls_failed', error, {
    message: !isClosed
      ? `The TLS handshake with ${endpointName(endpoint)} failed (${own || 'unknown reason'}).`
      : `${endpointName(endpoint)} closed the connection during the TLS handshake.`,
    hint: failedHints[protocol],
  })
}

function wrongName({ host }: Endpoint, error: NodeJS.ErrnoException | undefined): FaultError {
  const { subjectaltname, subject } = (
    error as { cert?: { subjectaltname?: string; subject?: { CN?: string } } }
  ).cert ?? { subjectaltname: '' }
  const names = (subjectaltname ?? '')
    .split(', ')
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
    .filter((name) => name !== '')
  const shown = names.slice(0, 3).join('", "') || (subject?.CN ?? 'no name')
  return fault('certificate_wrong_name', error, {
    message: `The certificate is for "${shown}", not for "${host}".`,
    hint: 'Use the name in the certificate as host.',
  })
}

/** Creates the fault of a certificate that is not the pinned one. */
export function wrongFingerprint({ host }: Endpoint): FaultError {
  return fault('certificate_wrong_fingerprint', undefined, {
    message: `The certificate of ${host} does not have the given peer_fingerprint.`,
    hint: 'If the server has a new certificate, set its new fingerprint. If it does not, the connection is being intercepted.',
  })
}

/** Creates the fault of a handshake that did not finish in time. */
export function handshakeTimeout(endpoint: Endpoint, timeoutMs: number): FaultError {
  return fault('tls_failed', undefined, {
    message: `${endpointName(endpoint)} did not finish the TLS handshake in ${timeoutMs / 1000} s.`,
    hint: timeoutHint(endpoint),
  })
}

function timeoutHint({ port, protocol }: Endpoint): string {
  if (protocol !== 'smtps') return failedHints[protocol]
  return `The port may not speak TLS${port === 465 ? '' : '; with smtp:// the session begins in plain text'}.`
}

function fault(
  code: FaultCode,
  cause: unknown,
  { message, hint }: { message: string; hint: string },
): FaultError {
  return new FaultError({ code, stage: 'tls', message, hint }, { cause })
}
