import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerTo } from './errors.ts'

test('an error whose code is a number, as that of a DOMException, is an internal error', () => {
  for (const error of [
    new DOMException('This operation was aborted', 'AbortError'),
    Object.assign(new Error('of a library'), { code: 42, statusCode: 400 }),
  ]) {
    const { status, body } = answerTo(error, 'request-1')
    assert.equal(status, 500)
    assert.equal(body.error, 'Internal error. The log has the details under the id request-1.')
  }
})

test('an error of Fastify that the client caused has its status', () => {
  const error = Object.assign(new Error('raw'), { code: 'FST_ERR_BAD_URL', statusCode: 400 })
  const { status, body } = answerTo(error, 'request-1')
  assert.deepEqual([status, body.error], [400, 'The path is not valid percent-encoding.'])
})
