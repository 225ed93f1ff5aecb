import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  jsonBody,
  jsonRequest,
  messageWith,
  requestOf,
  testApiProvider,
} from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { documentBase64, imageBase64 } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, ErrorCode: string, ErrorMessage: string, about: string[] = []) =>
  json(status, {
    Messages: [
      {
        Status: 'error',
        Errors: [
          {
            ErrorIdentifier: 'c04ac4d7-1ebd-4c26-a663-ef304578aef7',
            ErrorCode,
            StatusCode: status,
            ErrorMessage,
            ErrorRelatedTo: about,
          },
        ],
      },
    ],
  })

testApiProvider({
  provider: 'mailjet',
  dsn: 'mailjet+api://PUBLIC-1:S3CRET-1@HOST',
  secrets: ['S3CRET-1'],
  endpoints: {
    'mailjet+api://AK:SK@default': 'https://api.mailjet.com',
    'mailjet+api://AK:SK@default?sandbox=true': 'https://api.mailjet.com',
    'mautic+mailjet+api://AK:SK@default:465?sandbox=1': 'https://api.mailjet.com',
  },
  incomplete: {
    'mailjet+api://default': /API key/,
    'mailjet+api://AK@default': /secret key/,
  },
  checkRequest: jsonRequest(
    'POST /v3.1/send',
    `authorization: Basic ${Buffer.from('PUBLIC-1:S3CRET-1').toString('base64')}`,
    {
      Messages: [
        {
          From: { Email: 'sender@example.com', Name: 'Jürgen' },
          To: [{ Email: 'jane@example.net', Name: 'Doe, Jane' }],
          Cc: [{ Email: 'carl@example.net', Name: 'Carl' }],
          Bcc: [{ Email: 'hidden@example.net' }],
          ReplyTo: { Email: 'support@example.com', Name: 'Support' },
          Subject: 'Grüße from the test',
          TextPart: 'Schöne Grüße\n',
          HTMLPart: '<p>Schön <img src="cid:logo"></p>\n',
          Attachments: [
            {
              ContentType: 'application/pdf',
              Filename: 'report.pdf',
              Base64Content: documentBase64,
            },
          ],
          InlinedAttachments: [
            {
              ContentType: 'image/gif',
              Filename: 'logo.gif',
              Base64Content: imageBase64,
              ContentID: 'logo',
            },
          ],
          Headers: { 'List-Unsubscribe': '<https://example.com/u?id=1>', 'X-Custom': 'kept' },
        },
      ],
      SandboxMode: false,
    },
  ),
  // https://dev.mailjet.com/email/guides/send-api-v31/; the id is more than JavaScript counts to.
  success: {
    status: 200,
    body: '{"Messages":[{"Status":"success","CustomID":"","To":[{"Email":"jane@example.net","MessageUUID":"5d4710f5-9aff-4ff8-9d7e-1f0cf9125019","MessageID":70368744188491213,"MessageHref":"https://api.mailjet.com/v3/REST/message/70368744188491213"}],"Cc":[],"Bcc":[]}]}',
  },
  messageId: '70368744188491213',
  refusals: {
    credentials_refused: [
      json(401, {
        ErrorIdentifier: '06df1144-c6f3-4ca7-8885-7ec5d4344113',
        ErrorCode: 'mj-0002',
        ErrorMessage: 'API key authentication/authorization failure.',
        StatusCode: 401,
      }),
    ],
    sender_refused: [
      refusal(
        403,
        'send-0008',
        '"i-am-not-a-valid-sender@mailjet.com" is not an authorized sender email address for your account.',
        ['From'],
      ),
    ],
    recipient_refused: [
      refusal(400, 'mj-0013', '"passenger" is an invalid email address.', ['To[0].Email']),
    ],
    message_refused: [
      refusal(
        400,
        'send-0003',
        'At least "HTMLPart", "TextPart" or "TemplateID" must be provided.',
        ['HTMLPart', 'TemplateID', 'TextPart'],
      ),
      refusal(200, 'send-0003', 'Empty.'),
    ],
  },
  refusal: (text) => refusal(400, 'mj-0004', text),
})

test('mailjet: headers that it forbids stay out, and those of the bridge become fields', async () => {
  const message = messageWith(
    'List-Id: <news.example.com>',
    'X-Mailer: Mautic',
    'X-MJ-CustomID: 17',
    'X-Mailjet-Prio: 2',
    'X-Mailjet-DeduplicateCampaign: true',
  )
  const body = jsonBody(await requestOf('mailjet+api://AK:SK@default?sandbox=1', message))
  assert.partialDeepStrictEqual(body, {
    Messages: [{ CustomID: '17', Priority: 2, DeduplicateCampaign: true }],
    SandboxMode: true,
  })
  assert.doesNotMatch(JSON.stringify(body), /"Headers"|news\.example\.com|Mautic/)
})
