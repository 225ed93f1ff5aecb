import { hash, KeyObject, sign } from 'node:crypto'
import { relaxHeader } from './canonicalize.ts'
import type { DkimKey } from './dkim-keys.ts'
import type { HeaderLine } from './header-section.ts'

/** Signed where they are present. Fields that servers add, change or remove on the way are left out. */
const signedNames = [
  'From',
  'Reply-To',
  'Subject',
  'Date',
  'To',
  'Cc',
  'Message-ID',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'List-Id',
  'List-Help',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Subscribe',
  'List-Post',
  'List-Owner',
  'List-Archive',
  'Feedback-ID',
]
/** Another field of these names makes the signature invalid. */
const oversignedNames = new Set(['From', 'Subject', 'Date'])
/** How many fields of one name are signed, the last ones. */
const sameNameMax = 10

/** What a signature says beside the fields that it signs. */
interface SignatureFacts {
  /** The SHA-256 of the body in base64. */
  readonly bodyHash: string
  readonly signedAt: Date
}

/**
 * Signs header fields and the hash of a body.
 * @returns The field DKIM-Signature, folded, without its last line end.
 * @throws {Error} when the key is not one of its algorithm.
 * @see RFC 6376, section 3.5; RFC 8463
 */
export async function signHeader(
  fields: readonly HeaderLine[],
  key: DkimKey,
  { bodyHash, signedAt }: SignatureFacts,
): Promise<string> {
  const names: string[] = []
  const lines: string[] = []
  const byName = Map.groupBy(fields, ({ name }) => name)
  for (const name of signedNames) {
    // The last field is signed first (RFC 6376, section 5.4.2).
    const present = byName.get(name.toLowerCase())?.slice(-sameNameMax).reverse() ?? []
    for (const { line } of present) {
      names.push(name)
      lines.push(relaxHeader(line))
    }
    if (present.length > 0 && oversignedNames.has(name)) names.push(name)
  }
  const unsigned = [
    `DKIM-Signature: v=1; a=${key.algorithm}-sha256; c=relaxed/relaxed;`,
    ` d=${key.domain}; s=${key.selector};`,
    ` t=${Math.floor(signedAt.getTime() / 1000)};`,
    ...foldNames(names),
    ` bh=${bodyHash};`,
    ' b=',
  ].join('\r\n')
  const data = Buffer.from([...lines, relaxHeader(unsigned)].join('\r\n'), 'latin1')
  const signature = await signData(data, key)
  return unsigned + signature.toString('base64').replace(/.{72}(?=.)/g, '$&\r\n ')
}

/** Writes `h=`, a few names to a line. */
function foldNames(names: readonly string[]): string[] {
  const lines: string[] = []
  let line = ' h='
  for (const [index, name] of names.entries()) {
    const item = index === names.length - 1 ? `${name};` : `${name}:`
    if (line.length + item.length > 76) {
      lines.push(line)
      line = '  '
    }
    line += item
  }
  return [...lines, line]
}

/** Signs in a thread of libuv: an RSA signature takes a millisecond. */
function signData(data: Buffer, { algorithm, privateKey }: DkimKey): Promise<Buffer> {
  if (!(privateKey instanceof KeyObject) || privateKey.asymmetricKeyType !== algorithm)
    throw new Error(`The key is no private key of the algorithm ${algorithm}.`)
  const [digest, signed] =
    algorithm === 'rsa'
      ? (['sha256', data] as const)
      : ([null, hash('sha256', data, 'buffer')] as const)
  return new Promise((resolve, reject) => {
    sign(digest, signed, privateKey, (error, signature) => {
      if (error === null) resolve(signature)
      else reject(error)
    })
  })
}
