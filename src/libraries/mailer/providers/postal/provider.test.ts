import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonBody,
  jsonRequest,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { sampleMessage, shortMessage } from '../../testing/sample-message.case.test.ts'

const response = (status: string, data: object) =>
  json(200, { status, time: 0.02, flags: {}, data })

testApiProvider({
  provider: 'postal',
  dsn: 'postal+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'postal+api://K@postal.example.com': 'https://postal.example.com',
    'postal+api://:K@127.0.0.1:8080': 'https://127.0.0.1:8080',
    'postal+api://K@[::1]:8443': 'https://::1:8443',
  },
  incomplete: {
    'postal+api://postal.example.com': /API credential/,
    'postal+api://K@default': /your own host/,
  },
  checkRequest: jsonRequest('POST /api/v1/send/raw', 'x-server-api-key: K3Y-1', {
    rcpt_to: sampleMessage.envelope.to,
    mail_from: 'bounce@example.com',
    data: Buffer.from(sampleMessage.raw).toString('base64'),
  }),
  // https://apiv1.postalserver.io/controllers/send/raw
  success: response('success', {
    message_id: '4f1c@rp.postal.example.com',
    messages: { 'jane@example.net': { id: 1, token: 'TgXbnI4Bg0mQ' } },
  }),
  messageId: '4f1c@rp.postal.example.com',
  refusals: {
    credentials_refused: [
      response('error', {
        code: 'InvalidServerAPIKey',
        message: 'The API token provided in X-Server-API-Key was not valid.',
        token: 'K3Y-1',
      }),
    ],
    quota_exceeded: [response('error', { code: 'ServerSuspended' })],
    sender_refused: [response('error', { code: 'UnauthenticatedFromAddress' })],
    message_refused: [
      response('parameter-error', { message: '`data` parameter is required but is missing' }),
    ],
    server_fault: [response('error', { code: 'DatabaseGone', message: 'try again' })],
  },
  refusal: (text) => response('error', { code: 'SomethingElse', message: text }),
})

test('postal: the null sender, which Postal refuses, is replaced by the author', async () => {
  const bounce = { ...shortMessage, envelope: { ...shortMessage.envelope, from: '' } }
  const request = await requestOf('postal+api://K@postal.example.com', bounce)
  assert.equal(jsonBody(request)['mail_from'], 'sender@example.com')
})
