import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { addOpenApi } from './add-openapi.ts'

test('the description of the API is there again after it could not be written once', async () => {
  let isBroken = true
  const app = Fastify()
  addOpenApi(app, {
    get version() {
      if (isBroken) throw new Error('Too many open files.')
      return '1.0.0'
    },
    tags: [],
    tagGroups: [],
  })
  const ask = () => app.inject('/api/openapi.json')
  assert.equal((await ask()).statusCode, 500)
  isBroken = false
  const { statusCode, body } = await ask()
  assert.equal(statusCode, 200)
  assert.match(body, /"openapi":"3\.1\.0"/)
})
