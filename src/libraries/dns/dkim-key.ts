import { createPublicKey, type KeyObject } from 'node:crypto'
import type { DnsCheck } from './dns.ts'
import { parseTags } from './tag-list.ts'

/** A public key that a record has. */
export interface DkimPublicKey {
  algorithm: 'rsa' | 'ed25519'
  /** In base64: SubjectPublicKeyInfo of an RSA key, also where the record has the bare key; 32 bytes of an Ed25519 key. */
  key: string
  /** Of an RSA key. */
  bits: number | null
  /** Whether the domain only tries signatures out (`t=y`). */
  isTesting: boolean
}

/** What stands at the name of a key. */
export type DkimKeyResult =
  | ({ state: 'found'; record: string } & DkimPublicKey)
  | { state: 'invalid'; record: string; problem: string }
  | { state: 'absent' }
  | { state: 'failed'; problem: string }

/** Receivers accept no shorter ones (RFC 8301, section 3.2). */
const rsaBitsMin = 1_024

/** The most characters of a record that a problem quotes. */
const quotedMax = 50

const ed25519Bytes = 32
const ed25519Header = Buffer.from('302a300506032b6570032100', 'hex')

/** Looks the record of a DKIM key up. @see RFC 6376, section 3.6 */
export async function findDkimKey(
  check: DnsCheck,
  selector: string,
  domain: string,
): Promise<DkimKeyResult> {
  const name = `${selector}._domainkey.${domain}`
  const answer = await check.lookUp(name, 'TXT')
  if (answer.state === 'failed') return { state: 'failed', problem: answer.problem }
  if (answer.state === 'absent') return answer
  const { records } = answer
  const [record = ''] = records
  if (records.length > 1) {
    // Receivers read one of them, and which is not defined.
    const problem = `There are ${records.length} TXT records at ${name}. Leave the one with the key.`
    return { state: 'invalid', record: records.join('\n'), problem }
  }
  const key = parseDkimKey(record)
  if ('problem' in key) return { state: 'invalid', record, problem: key.problem }
  return { state: 'found', record, ...key }
}

/** Parses the record of a key. Returns a sentence about what is wrong where receivers do not accept it. */
export function parseDkimKey(record: string): DkimPublicKey | { problem: string } {
  const { values, first, duplicate } = parseTags(record)
  const value = (name: string) => values.get(name)?.replace(/\s+/g, '')
  const list = (name: string) => value(name)?.toLowerCase().split(':')
  const key = value('p')
  const type = value('k')?.toLowerCase() ?? 'rsa'
  if (duplicate !== undefined)
    return { problem: `The record has "${duplicate.slice(0, quotedMax)}" twice.` }
  if (values.has('v') && (value('v') !== 'DKIM1' || first !== 'v')) {
    return { problem: 'The record must start with "v=DKIM1;".' }
  }
  if (key === undefined) return { problem: 'The record has no key ("p=…").' }
  if (key === '') return { problem: 'The key was revoked: "p=" is empty.' }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(key)) return { problem: 'The key in "p=" is not base64.' }
  if (type !== 'rsa' && type !== 'ed25519') {
    return {
      problem: `The type of the key is "${type.slice(0, quotedMax)}"; receivers know rsa and ed25519.`,
    }
  }
  if (list('h')?.includes('sha256') === false)
    return { problem: 'The key does not allow sha256 ("h=").' }
  const services = list('s')
  if (services !== undefined && !services.includes('email') && !services.includes('*')) {
    return { problem: 'The key is not for email ("s=").' }
  }
  const isTesting = list('t')?.includes('y') ?? false
  return type === 'rsa' ? readRsa(key, { isTesting }) : readEd25519(key, { isTesting })
}

function readRsa(key: string, { isTesting }: { isTesting: boolean }) {
  const bytes = Buffer.from(key, 'base64')
  const parsed = parseKey(bytes, 'spki') ?? parseKey(bytes, 'pkcs1')
  if (parsed?.asymmetricKeyType !== 'rsa') return { problem: 'The key in "p=" is not an RSA key.' }
  const bits = parsed.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < rsaBitsMin) {
    return { problem: `The key has ${bits} bits; receivers accept ${rsaBitsMin} and more.` }
  }
  const spki = parsed.export({ type: 'spki', format: 'der' }).toString('base64')
  return { algorithm: 'rsa' as const, key: spki, bits, isTesting }
}

function readEd25519(key: string, { isTesting }: { isTesting: boolean }) {
  const bytes = Buffer.from(key, 'base64')
  const isKey =
    bytes.length === ed25519Bytes && parseKey(Buffer.concat([ed25519Header, bytes]), 'spki')
  if (!isKey) return { problem: `The key in "p=" is not an Ed25519 key of ${ed25519Bytes} bytes.` }
  return { algorithm: 'ed25519' as const, key: bytes.toString('base64'), bits: null, isTesting }
}

function parseKey(key: Buffer, type: 'spki' | 'pkcs1'): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'der', type })
  } catch {
    return undefined
  }
}
