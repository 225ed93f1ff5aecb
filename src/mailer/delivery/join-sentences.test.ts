import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinSentences } from './join-sentences.ts'

test('each sentence is ended once, and what is missing leaves no gap', () => {
  assert.equal(
    joinSentences(['a refused it: 550 no', null, 'Check it.']),
    'a refused it: 550 no. Check it.',
  )
  assert.equal(joinSentences(['Why?', undefined, '', 'So!']), 'Why? So!')
  assert.equal(
    joinSentences(['He said "no."', '(Or not.)', 'And on…']),
    'He said "no." (Or not.) And on…',
  )
  assert.equal(joinSentences(['a refused it (try later)']), 'a refused it (try later).')
  assert.equal(joinSentences([]), '')
})
