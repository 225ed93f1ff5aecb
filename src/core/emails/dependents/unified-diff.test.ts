import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch } from 'diff'
import { unifiedDiff } from './unified-diff.ts'

const numbered = (count: number, of: (line: number) => string) =>
  Array.from({ length: count }, (_, line) => `${of(line)}\n`).join('')

test('a diff has the changed lines, with three lines of context', () => {
  const before = numbered(20, (line) => `line ${line}`)
  const diff = unifiedDiff(before, before.replace('line 9\n', 'LINE 9\n'))
  assert.match(diff, /^--- before\n\+\+\+ after\n@@ -7,7 \+7,7 @@\n line 6\n/)
  assert.match(diff, /^-line 9\n\+LINE 9$/m)
  assert.equal(unifiedDiff(before, before), '')
})

test('a diff of very different texts can be applied too', () => {
  const before = `head\n${numbered(900, (line) => `${line}`)}foot\n`
  const after = `head\n${numbered(800, (line) => `${line} other`)}foot\n`
  assert.equal(applyPatch(before, unifiedDiff(before, after)), after)
})

test('very different or very long texts do not block other requests', () => {
  // A full comparison would take minutes.
  const diff = unifiedDiff(
    numbered(30_000, String),
    numbered(30_000, (line) => `${line * 7}x`),
  )
  assert(diff.length <= 100_000 && diff.endsWith('\n'))
  unifiedDiff('\n'.repeat(2_000_000), 'a\n'.repeat(2_000_000))
  unifiedDiff('x'.repeat(5_000_000), 'y'.repeat(5_000_000))
  unifiedDiff('a\nb\n'.repeat(500_000), 'b\na\n'.repeat(500_000))
})
