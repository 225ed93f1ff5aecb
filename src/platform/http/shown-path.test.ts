import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { HttpRequest } from './http-app.ts'
import { shownPathOf } from './shown-path.ts'

const shown = (url: string) => shownPathOf({ url, raw: {} as IncomingMessage } as HttpRequest)

test('the secret of a webhook is in no shown path, however the client spells its address', () => {
  for (const url of [
    '/webhooks/transports/3/top-secret',
    '/webhooks/transports/3/top-secret/',
    '/webhooks/transports/3/top-secret/more?a=top-secret',
    '//webhooks//transports//3//top-secret',
    '/%77ebhooks/transports/3/top-secret',
    '/webhooks%2Ftransports%2f3%2ftop-secret%zz',
    '/Webhooks/transports/three/top-secret',
  ])
    assert.match(shown(url), /^\/+webhooks\/+transports\/+(?:3|three)\/+…$/i, url)
})

test('any other path is shown as the client wrote it, without its query', () => {
  for (const path of ['/', '/api/users/3', '/webhooks/mautic/3', '/api/%75sers', '/%zz'])
    assert.equal(shown(`${path}?token=top-secret`), path)
})
