import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { readMauticMessages } from '../../../../test/mautic-messages.ts'
import type { DkimKey, DkimKeys } from '../dkim/dkim-keys.ts'
import type { Message } from '../message/message.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')

const records: Readonly<Record<string, string>> = {
  rsa: `v=DKIM1; k=rsa; p=${exportKey(rsa.publicKey).toString('base64')}`,
  ed25519: `v=DKIM1; k=ed25519; p=${exportKey(ed25519.publicKey).subarray(-32).toString('base64')}`,
}

function exportKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

/** The private key of the selector `rsa`, as PEM. */
export const rsaKey = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' })

/** Returns the record of the selectors `rsa` and `ed25519`, at any domain. */
export async function resolveKey(name: string): Promise<string[][]> {
  const record = records[name.slice(0, name.indexOf('.'))]
  if (record !== undefined) return [[record]]
  throw Object.assign(new Error('No such name.'), { code: 'ENOTFOUND' })
}

/** Creates a key whose selector is its algorithm. */
export function keyOf(domain: string, algorithm: DkimKey['algorithm'] = 'ed25519'): DkimKey {
  const { privateKey } = algorithm === 'rsa' ? rsa : ed25519
  return { domain, selector: algorithm, algorithm, privateKey }
}

/** Keys of every domain. */
export function keysOfAll(algorithm?: DkimKey['algorithm']): DkimKeys {
  return { find: (domain) => keyOf(domain, algorithm) }
}

/** Verifies the signatures of a message: `pass example.com` for each, with the reason where one does not pass. */
export async function verify(raw: Uint8Array): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(raw), { resolver: resolveKey, strict: true })
  return results.map(({ status: { result, comment }, signingDomain = '' }) =>
    result === 'pass' ? `pass ${signingDomain}` : `${result} ${signingDomain}: ${comment || ''}`,
  )
}

/** Undoes dot-stuffing. */
export function receivedBytes(data: string): Buffer {
  return Buffer.from(data.replace(/(?<=^|\r\n)\./g, ''), 'latin1')
}

/** A message, and what is special about it. */
export interface NamedMessage extends Message {
  readonly name: string
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1')

/** Bodies; each character is a byte. */
const bodies: Readonly<Record<string, string>> = {
  short: 'Hello Jane!\r\n',
  empty: '',
  'blank lines only': '\r\n\r\n\r\n',
  'blanks only': ' \t \r\n\t\r\n',
  'no final line end': 'first\r\nlast',
  'trailing blanks': 'one \r\ntwo\t\t\r\n  three   words  \r\n\r\n \r\n',
  tabs: '\ta\tb\t\tc\r\n \t d\r\n',
  'blank lines at the end': 'text\r\n\r\n\r\n\r\n',
  'bare LF': 'one\ntwo\n\nthree\n',
  'bare CR': 'one\rtwo\r\rthree\r',
  'mixed line ends': 'one\r\r\ntwo\n\rthree\r\n',
  NUL: 'a\0b\r\n\0\r\n',
  dots: '.\r\n..\r\n.a\r\n...b\r\n.',
  'UTF-8': utf8('Schöne Grüße, 你好 🎉\r\nzweite Zeile\r\n'),
  'ISO 8859-1': 'Sch\xf6ne Gr\xfc\xdfe\r\n',
  'invalid UTF-8': '\xff\xfe\x80 \xc3\r\n',
  'every byte': Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1'),
  'long line': `${'word '.repeat(400)}\r\nend\r\n`,
  'long line without blanks': `${'x'.repeat(5_000)}\r\n`,
  'line of 998': `${'y'.repeat(998)}\r\n`,
  'line of 999': `${'y'.repeat(999)}\r\n`,
  'long UTF-8 line': `${utf8('äöü ').repeat(800)}\r\n`,
  'from line': 'From the beginning\r\n>From there\r\n',
  equals: '=20 = =\r\n=3D=\r\n',
  large: `${'A line of seventy characters, as many mails have them in their text.\r\n'.repeat(9_000)}`,
}

const heads: Readonly<Record<string, string>> = {
  plain: 'From: Shop <shop@example.com>\r\nTo: jane@example.net\r\nSubject: Hello\r\n',
  'plain with MIME': [
    'Date: Fri, 27 Nov 2026 10:00:00 +0000',
    'Message-ID: <1@example.com>',
    'From: =?utf-8?Q?J=C3=BCrgen?= <shop@Example.COM>',
    'To: "Doe, Jane" <jane@example.net>,',
    '\tcarl@example.net',
    'Subject: folded',
    ' \t  and   blanks \t ',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    'List-Unsubscribe: <https://example.com/u?id=1>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'X-Custom:   kept  ',
    '',
  ].join('\r\n'),
  'html with odd fields': [
    'Received: from a by b; Fri, 27 Nov 2026 10:00:00 +0000',
    'From: shop@example.com (Shop), "The; Boss" <boss@example.com>',
    'to: jane@example.net',
    'To: carl@example.net',
    'SUBJECT:no blank',
    'Reply-To:',
    `X-Long: ${'value '.repeat(300)}`,
    'Content-Type: text/html',
    '\t;charset="iso-8859-1"',
    'MIME-Version: 1.0',
    '',
  ].join('\r\n'),
  'long subject': `From: shop@example.com\r\nSubject: ${'a very long subject '.repeat(150)}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n`,
  'bare line ends': 'From: shop@example.com\nSubject: one\n two\rTo: jane@example.net\n',
}

/** Multiparts around a body. */
const wrappers: Readonly<Record<string, (body: string) => string>> = {
  alternative: (body) =>
    multipart('alternative', [
      `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}`,
      `Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>=C3=A4 ${body}</p>`,
    ]),
  attachments: (body) =>
    multipart('mixed', [
      multipart('related', [
        `Content-Type: text/html\r\n\r\n${body}`,
        `Content-Type: image/gif\r\nContent-Transfer-Encoding: binary\r\n\r\n${body}`,
      ]),
      `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(body, 'latin1').toString('base64')}`,
      `Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nHello`,
    ]),
}

let boundaries = 0

function multipart(subtype: string, parts: readonly string[]): string {
  boundaries += 1
  const boundary = `=_${subtype}${boundaries}`
  const lines = parts.map((part) => `--${boundary}\r\n${part}\r\n`)
  return `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\nContent-Transfer-Encoding: 8bit\r\n\r\npreamble\r\n${lines.join('')}--${boundary}--\r\nepilogue\r\n`
}

const envelope = { from: 'shop@example.com', to: ['jane@example.net'] }

/** Every body under every header section and in every multipart, and the messages that a real Mautic sent. */
export function dkimMessages(): NamedMessage[] {
  const messages: NamedMessage[] = readMauticMessages().map(
    ({ name, message, sender, recipients }) => ({
      name,
      raw: message,
      envelope: { from: sender, to: recipients },
    }),
  )
  for (const [bodyName, body] of Object.entries(bodies)) {
    const add = (name: string, text: string) =>
      messages.push({ name: `${bodyName}, ${name}`, envelope, raw: Buffer.from(text, 'latin1') })
    for (const [headName, head] of Object.entries(heads)) add(headName, `${head}\r\n${body}`)
    for (const [wrapperName, wrap] of Object.entries(wrappers))
      add(wrapperName, `${heads['plain']}MIME-Version: 1.0\r\n${wrap(body)}`)
  }
  const bare = heads['plain'] ?? ''
  messages.push({ name: 'without a body', envelope, raw: Buffer.from(bare) })
  messages.push({ name: 'without a last line end', envelope, raw: Buffer.from(bare.slice(0, -2)) })
  return messages
}
