import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** What a certificate says. */
export interface CertificateFields {
  /** Host names and IP addresses; the first is the common name. */
  names: string[]
  notBefore?: Date
  notAfter?: Date
}

/** A certificate and its key, both PEM. */
export interface IssuedCertificate {
  cert: string
  key: string
}

interface Issuer {
  commonName: string
  key: KeyObject
}

const day = 24 * 3600 * 1000

/** A certificate authority made for one test run. */
export function createAuthority(commonName = 'Test Authority') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer: Issuer = { commonName, key: privateKey }
  const cert = certificate({ names: [commonName] }, { issuer, publicKey, isAuthority: true })
  return {
    cert,
    issue(fields: CertificateFields): IssuedCertificate {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        cert: certificate(fields, { issuer, publicKey: own.publicKey, isAuthority: false }),
        key: pem(own.privateKey),
      }
    },
  }
}

/** Creates a self-signed certificate. */
export function createSelfSigned(fields: CertificateFields): IssuedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { commonName: fields.names[0] ?? '', key: privateKey }
  return {
    cert: certificate(fields, { issuer, publicKey, isAuthority: false }),
    key: pem(privateKey),
  }
}

interface Signing {
  issuer: Issuer
  publicKey: KeyObject
  isAuthority: boolean
}

/** An X.509 version 3 certificate (RFC 5280), signed with ECDSA and SHA-256. */
function certificate(fields: CertificateFields, { issuer, publicKey, isAuthority }: Signing) {
  const {
    names,
    notBefore = new Date(Date.now() - day),
    notAfter = new Date(Date.now() + 90 * day),
  } = fields
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
  const body = sequence(
    tagged(0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ecdsaWithSha256,
    name(issuer.commonName),
    sequence(time(notBefore), time(notAfter)),
    name(names[0] ?? ''),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...(isAuthority ? [authorityExtension()] : [namesExtension(names)]))),
  )
  const signature = sign('sha256', body, issuer.key)
  const der = sequence(
    body,
    ecdsaWithSha256,
    tag(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function authorityExtension(): Buffer {
  const isTrue = tag(0x01, Buffer.from([0xff]))
  return sequence(oid('551d13'), isTrue, tag(0x04, sequence(isTrue)))
}

function namesExtension(names: string[]): Buffer {
  const alternatives = names.map((one) =>
    isIP(one) === 0 ? tag(0x82, Buffer.from(one)) : tag(0x87, addressBytes(one)),
  )
  return sequence(oid('551d11'), tag(0x04, sequence(...alternatives)))
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const bytes = Buffer.alloc(16)
  if (address !== '::1') throw new RangeError('The tests need no other IPv6 address.')
  bytes[15] = 1
  return bytes
}

function name(commonName: string): Buffer {
  return sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  return tag(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`))
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'))
}

function tagged(number: number, content: Buffer): Buffer {
  return tag(0xa0 + number, content)
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

/** One DER element (X.690, section 8.1). */
function tag(number: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([number, ...size]), content])
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
