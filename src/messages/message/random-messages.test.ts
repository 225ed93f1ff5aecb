import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkQueue } from '../../kit/work-queue.ts'
import { readMessage, renderTokens } from '../index.ts'

const work = new WorkQueue()

/** How a text part is written down. */
interface Writing {
  charset: string
  encoding: 'quoted-printable' | 'base64' | '8bit'
  /** Which bytes are escaped though they need not be, and where lines are broken. */
  whims: readonly number[]
  isUpper: boolean
}

type Leaf =
  | { kind: 'shown'; subtype: 'plain' | 'html'; texts: string[]; writing: Writing }
  | { kind: 'sealed'; raw: string }

type Tree = Leaf | { kind: 'multipart'; boundary: string; preamble: string; parts: Tree[] }

const token = '{twigtemplate=7}'
/** By charset, letters that it has and what it writes for them; each character is a byte. */
const letters: Record<string, { text: string; bytes: string }> = {
  'utf-8': { text: 'é✓я', bytes: Buffer.from('é✓я').toString('latin1') },
  'iso-8859-1': { text: 'éüñ', bytes: '\xe9\xfc\xf1' },
  'windows-1251': { text: 'яЖё', bytes: '\xff\xc6\xb8' },
  'koi8-r': { text: 'яЖё', bytes: '\xd1\xf6\xa3' },
  shift_jis: { text: '日本', bytes: '\x93\xfa\x96\x7b' },
}

/** Stands for a charset's letters in a generated text. */
const mark = '@'
const word = fc.constantFrom(
  'a',
  'B',
  ' ',
  '  ',
  '=',
  '{',
  '}',
  '{twig',
  'x=y',
  '\r\n',
  '\n',
  '\r',
  '.\r\n',
  '-',
  'x--b',
  '\n--bz',
  mark,
)
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(''))

const writing: fc.Arbitrary<Writing> = fc.record({
  charset: fc.constantFrom(...Object.keys(letters)),
  encoding: fc.constantFrom('quoted-printable', 'base64', '8bit'),
  whims: fc.array(fc.nat(15), { minLength: 1, maxLength: 40 }),
  isUpper: fc.boolean(),
})

const shown = (hasToken: boolean): fc.Arbitrary<Leaf> =>
  fc.record({
    kind: fc.constant('shown' as const),
    subtype: fc.constantFrom('plain', 'html'),
    texts: fc.array(text, { minLength: 1, maxLength: hasToken ? 4 : 1 }),
    writing,
  })

const sealedHeads = [
  'Content-Type: text/plain; name=a.txt\r\n\r\n',
  'Content-Type: text/html\r\nContent-Disposition: attachment\r\n\r\n',
  'Content-Type: text/plain\r\nContent-Disposition: inline;\r\n filename="a (b).txt"\r\n\r\n',
  'Content-Type: message/rfc822\r\n\r\nSubject: in\r\n\r\n',
  'Content-Type: application/pdf\r\n\r\n',
  'Content-Type: text/plain\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\n',
  'Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\n',
  'Content-Type: multipart/mixed\r\n\r\n--none\r\n\r\n',
  'Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\n\r\n',
]
const sealed: fc.Arbitrary<Leaf> = fc
  .tuple(fc.constantFrom(...sealedHeads), text)
  .map(([head, body]) => ({ kind: 'sealed', raw: `${head}${body}${token}\r\nend` }))

const tree = (hasToken: boolean): fc.Arbitrary<Tree> =>
  fc.letrec<{ node: Tree; leaf: Leaf; multipart: Tree }>((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('multipart')),
    leaf: fc.oneof({ weight: 2, arbitrary: shown(hasToken) }, sealed),
    multipart: fc.record({
      kind: fc.constant('multipart' as const),
      // Every one is the beginning of others.
      boundary: fc.nat(30).map((length) => `b${'x'.repeat(length)}`),
      preamble: fc.constantFrom('', 'Read this with a newer program.\r\n', `${token}\r\n`),
      parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    }),
  })).node

const ours = [
  'X-EMAIL-ID: 3',
  'x-contact-id:4',
  'X-Mailyard-Transport: =?utf-8?Q?a?=\r\n b',
  'X-OWNER-ID : 9',
]
const others = ['To: a@b.test', 'X-Email-Id-Not: 3', 'List-Id: x\r\n\ty', 'no field', 'Received: z']
const head = fc.shuffledSubarray([...ours, ...others], { minLength: 1 })

test('a message without a token passes byte for byte, but for the headers that are ours', () => {
  const property = fc.property(
    head,
    tree(false),
    fc.array(fc.integer({ min: 1, max: 90 })),
    (lines, root, cuts) => {
      const body = write(withUniqueBoundaries(root))
      const message = readMessage(cut(`${lines.join('\r\n')}\r\n${body}`, cuts))
      const kept = lines.filter((line) => !ours.includes(line))
      const expected = [...kept, body].join('\r\n')
      assert.equal(message.holdsTokens, false)
      assert.equal(Buffer.concat(message.chunks).toString('latin1'), expected)
      assert.equal(message.sizeBytes, expected.length)
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('a token changes the decoded text of its part, and not a byte elsewhere', async () => {
  const property = fc.asyncProperty(
    tree(true),
    fc.array(fc.integer({ min: 1, max: 90 })),
    fc.constantFrom('', 'plain', 'é', 'я ✓', 'a\nb', '\n--b\n--bx--\n--bxx', `again ${token}`),
    async (shape, cuts, value) => {
      const root = withUniqueBoundaries(shape)
      const message = readMessage(cut(`Subject: x\r\nMIME-Version: 1.0\r\n${write(root)}`, cuts))
      const rendered = await renderTokens(message, (id, kind) => `${id}${kind}${value}`, {
        sizeMax: 1e9,
        work,
      })
      const output = Buffer.concat(rendered.chunks).toString('latin1')
      const start = 'Subject: x\r\nMIME-Version: 1.0\r\n'
      assert.ok(output.startsWith(start))
      compare(root, output.slice(start.length), value)
    },
  )
  await fc.assert(property, { numRuns: 500 })
})

/** Boundaries are drawn from few, so that some begin others; within one message each is used once. */
function withUniqueBoundaries(root: Tree): Tree {
  const used = new Set<string>()
  const visit = (node: Tree): Tree => {
    if (node.kind !== 'multipart') return node
    let { boundary } = node
    while (used.has(boundary)) boundary += 'x'
    used.add(boundary)
    return { ...node, boundary, parts: node.parts.map(visit) }
  }
  return visit(root)
}

function write(node: Tree): string {
  if (node.kind === 'sealed') return node.raw
  if (node.kind === 'shown') return writeText(node)
  const { boundary, preamble, parts } = node
  const inner = parts.map((part) => `--${boundary}\r\n${write(part)}\r\n`).join('')
  return `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n${preamble}${inner}--${boundary}--\r\n`
}

function writeText({ subtype, texts, writing }: Extract<Leaf, { kind: 'shown' }>): string {
  const { charset, encoding, isUpper } = writing
  const named = isUpper ? encoding.toUpperCase() : encoding
  const fields = `Content-Type: text/${subtype}; charset=${charset}\r\nContent-Transfer-Encoding: ${named}\r\n\r\n`
  const bytes = texts.join(token).replaceAll(mark, letters[charset]?.bytes ?? '')
  if (encoding === '8bit') return fields + bytes
  return fields + (encoding === 'base64' ? foldBase64(bytes, writing) : foldQuoted(bytes, writing))
}

function foldBase64(bytes: string, { whims }: Writing): string {
  const width = 1 + (whims[0] ?? 0) * 5
  return Buffer.from(bytes, 'latin1')
    .toString('base64')
    .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\r\n')
}

/** Breaks lines and escapes bytes wherever it likes, but makes no boundary by it. */
function foldQuoted(bytes: string, { whims, isUpper }: Writing): string {
  let output = ''
  for (let index = 0; index < bytes.length; index++) {
    if (bytes.startsWith('\r\n', index)) {
      output += '\r\n'
      index += 1
      continue
    }
    const character = bytes.charAt(index)
    const whim = whims[index % whims.length] ?? 0
    const isLiteral = /[!-<>-~]/.test(character) && whim !== 1
    const digits = character.charCodeAt(0).toString(16).padStart(2, '0')
    if (whim >= 13 && character !== '-') output += whim === 13 ? '= \r\n' : '=\r\n'
    output += isLiteral ? character : `=${isUpper ? digits.toUpperCase() : digits}`
  }
  return output
}

function cut(message: string, sizes: readonly number[]): Buffer[] {
  const bytes = Buffer.from(message, 'latin1')
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)]
}

function compare(node: Tree, output: string, value: string): void {
  if (node.kind === 'sealed') assert.equal(output, node.raw)
  if (node.kind === 'shown') compareText(node, output, value)
  if (node.kind !== 'multipart') return
  const { boundary, preamble, parts } = node
  const fields = `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n${preamble}`
  assert.ok(output.startsWith(fields))
  const sections = output
    .slice(fields.length)
    .split(new RegExp(`(?:^|\r\n)--${boundary}(?=\r\n|--)`))
  assert.equal(sections.length, parts.length + 2)
  assert.equal(sections.at(-1), '--\r\n')
  for (const [index, part] of parts.entries())
    compare(part, sections[index + 1]?.slice(2) ?? '', value)
}

function compareText(leaf: Extract<Leaf, { kind: 'shown' }>, output: string, value: string): void {
  if (leaf.texts.length === 1) {
    assert.equal(output, writeText(leaf))
    return
  }
  const { charset, encoding } = leaf.writing
  const [fields = '', body = ''] = splitOnce(output, '\r\n\r\n')
  const now = /charset=(.*)/.exec(fields)?.[1] ?? ''
  const fits = {
    'utf-8': /./,
    'iso-8859-1': /^[^я✓]*$/,
    'windows-1251': /^[^é✓]*$/,
    'koi8-r': /^[^é✓]*$/,
  }
  const expectedCharset = (fits as Record<string, RegExp>)[charset]?.test(value) ? charset : 'utf-8'
  assert.equal(now, value === '' && charset !== 'shift_jis' ? charset : expectedCharset)
  const written = /Encoding: (.*)/.exec(fields)?.[1]?.toLowerCase() ?? ''
  // What could be taken for a boundary cannot stand there as it is.
  const mayBeBoundary = value.includes('--b') || leaf.texts.some((one) => one.includes('--b'))
  const isQuoted = encoding === '8bit' && mayBeBoundary && written === 'quoted-printable'
  if (!isQuoted) assert.equal(written, encoding)
  const whole = leaf.texts.join(token)
  const lineEnd = whole.includes('\r\n') || !whole.includes('\n') ? '\r\n' : '\n'
  const put = `7${leaf.subtype === 'html' ? 'html' : 'text'}${value.replaceAll('\n', lineEnd)}`
  const expected = leaf.texts
    .join('\u0000')
    .replaceAll(mark, letters[charset]?.text ?? '')
    .replaceAll('\u0000', put)
  const read = new TextDecoder(now, { ignoreBOM: true }).decode(decode(body, written))
  // A lone LF leaves as CRLF in any case.
  assert.equal(read, isQuoted ? expected.replaceAll(/(?<!\r)\n/g, '\r\n') : expected)
}

function splitOnce(whole: string, at: string): [string, string] {
  const index = whole.indexOf(at)
  return [whole.slice(0, index), whole.slice(index + at.length)]
}

/** As short as the standard has it, so that it is another than ours. */
function decode(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64')
  if (encoding === '8bit') return Buffer.from(body, 'latin1')
  const joined = body.replaceAll('=\r\n', '')
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/gi, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Buffer.from(bytes, 'latin1')
}
