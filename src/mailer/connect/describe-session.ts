import type { TLSSocket } from 'node:tls'
import type { PeerTrust } from '../smtp/smtp-settings.ts'

/** Version, cipher and certificate with its expiry, in one line for people. */
export function describeSession(secured: TLSSocket, trust: PeerTrust): string {
  const certificate = secured.getPeerCertificate()
  const version = secured.getProtocol() ?? 'TLS'
  const cipher = secured.getCipher().standardName
  const subject = firstOf(certificate.subject?.CN) ?? certificate.subjectaltname ?? 'no name'
  const issuer = firstOf(certificate.issuer?.O) ?? firstOf(certificate.issuer?.CN) ?? 'itself'
  const verified = trust.isVerified ? '' : ', not verified'
  return `${version}, ${cipher}, certificate for ${subject} by ${issuer}, valid until ${dayOf(certificate.valid_to)}${verified}`
}

/** What a server that is not verified has for a date may be none. */
function dayOf(date: string): string {
  const time = Date.parse(date)
  return Number.isNaN(time) ? 'no sound date' : new Date(time).toISOString().slice(0, 10)
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
