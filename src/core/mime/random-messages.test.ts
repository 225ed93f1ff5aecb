import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WorkQueue } from '../../kit/work-queue.ts'
import { readMessage } from './read-message.ts'
import { renderTokens } from './render-tokens.ts'

type Tree =
  | { kind: 'shown'; head: string; texts: readonly string[] }
  | { kind: 'sealed'; raw: string }
  | { kind: 'multipart'; boundary: string; preamble: string; parts: Tree[] }

const work = new WorkQueue()
const token = '{twigtemplate=7}'
const word = fc.constantFrom('a', 'B', ' ', '=', '{', '}', '{twig', 'x=y', '\r\n', '\n', '\r', '-')
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(''))

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
const sealed: fc.Arbitrary<Tree> = fc
  .tuple(fc.constantFrom(...sealedHeads), text)
  .map(([head, body]) => ({ kind: 'sealed', raw: `${head}${body}${token}\r\nend` }))

const shownHeads = [
  '',
  'Content-Type: text/plain\r\n',
  'Content-Type: text/html; charset=utf-8\r\n',
]
const tree = (textsMax: number): fc.Arbitrary<Tree> =>
  fc
    .letrec<{ node: Tree; leaf: Tree; multipart: Tree }>((tie) => ({
      node: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('multipart')),
      leaf: fc.oneof(
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('shown' as const),
            head: fc.constantFrom(...shownHeads),
            texts: fc.array(text, { minLength: 1, maxLength: textsMax }),
          }),
        },
        sealed,
      ),
      multipart: fc.record({
        kind: fc.constant('multipart' as const),
        // Every one is the beginning of others.
        boundary: fc.nat(30).map((length) => `b${'x'.repeat(length)}`),
        preamble: fc.constantFrom('', 'Read this with a newer program.\r\n', `${token}\r\n`),
        parts: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      }),
    }))
    .node.map(withUniqueBoundaries)

const ours = [
  'X-EMAIL-ID: 3',
  'x-contact-id:4',
  'X-Mailyard-Transport: =?utf-8?Q?a?=\r\n b',
  'X-OWNER-ID : 9',
]
const others = ['To: a@b.test', 'X-Email-Id-Not: 3', 'List-Id: x\r\n\ty', 'no field', 'Received: z']
const head = fc.shuffledSubarray([...ours, ...others], { minLength: 1 })

const cuts = fc.array(fc.integer({ min: 1, max: 90 }))

test('a message without a token passes byte for byte, but for the headers that are ours', () => {
  const property = fc.property(head, tree(1), cuts, (lines, root, sizes) => {
    const body = write(root)
    const message = readMessage(cut(`${lines.join('\r\n')}\r\n${body}`, sizes))
    const kept = lines.filter((line) => !ours.includes(line))
    const expected = [...kept, body].join('\r\n')
    assert.equal(message.holdsTokens, false)
    assert.equal(Buffer.concat(message.chunks).toString('latin1'), expected)
    assert.equal(message.sizeBytes, expected.length)
  })
  fc.assert(property, { numRuns: 500 })
})

test('a token changes the text of its part, and not a byte elsewhere', async () => {
  const start = 'Subject: x\r\nMIME-Version: 1.0\r\n'
  const property = fc.asyncProperty(tree(4), cuts, async (root, sizes) => {
    const message = readMessage(cut(start + write(root), sizes))
    const options = { sizeMax: 1e9, work }
    const rendered = await renderTokens(message, (id, kind) => `<${kind} ${id}>`, options)
    const output = Buffer.concat(rendered.chunks).toString('latin1')
    const isHtml = (partHead: string) => partHead.includes('html')
    const expected = write(root, (partHead) => `<${isHtml(partHead) ? 'html' : 'text'} 7>`)
    assert.equal(output, start + expected)
  })
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

/** Writes a part; what is printed for a token may depend on the head of its part. */
function write(node: Tree, print: (head: string) => string = () => token): string {
  if (node.kind === 'sealed') return node.raw
  if (node.kind === 'shown') return `${node.head}\r\n${node.texts.join(print(node.head))}`
  const { boundary, preamble, parts } = node
  const inner = parts.map((part) => `--${boundary}\r\n${write(part, print)}\r\n`).join('')
  return `Content-Type: multipart/mixed;\r\n boundary="${boundary}"\r\n\r\n${preamble}${inner}--${boundary}--\r\n`
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
