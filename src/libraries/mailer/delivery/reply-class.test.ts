import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replies } from './replies.case.test.ts'
import { classOfReply } from './reply-class.ts'

test('all codes and words of a reply say what it is about, and the more cautious reading counts', () => {
  for (const [about, said] of replies)
    for (const text of said) {
      assert.equal(classOfReply(text), about, text)
      assert.equal(classOfReply(text.replaceAll(' ', '\r\n ')), about, text)
    }
})
