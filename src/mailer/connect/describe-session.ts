import type { TLSSocket } from 'node:tls'
import type { PeerTrust } from '../smtp/smtp-settings.ts'

/** Version, cipher and certificate with its expiry, in one line for people. */
export function describeSession(secured: TLSSocket, trust: PeerTrust): string {
  const certificate = secured.getPeerCertificate()
  const version = secured.getProtocol() ?? 'TLS'
  const cipher = secured.getCipher().standardName
  const subject = firstOf(certificate.subject?.CN) ?? certificate.subjectaltname ?? 'no name'
  const issuer = firstOf(certificate.issuer?.O) ?? firstOf(certificate.issuer?.CN) ?? 'itself'
  const until = new Date(certificate.valid_to).toISOString().slice(0, 10)
  const verified = trust.isVerified ? '' : ', not verified'
  return `${version}, ${cipher}, certificate for ${subject} by ${issuer}, valid until ${until}${verified}`
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
