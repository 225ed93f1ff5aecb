import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import { sampleAttachments, sampleFields } from '../../testing/sample-message.case.test.ts'

const refusal = (status: number, ...errors: string[]) => json(status, { success: false, errors })

testApiProvider({
  provider: 'mailtrap',
  dsn: 'mailtrap+api://T0KEN-1@HOST',
  secrets: ['T0KEN-1'],
  endpoints: {
    'mailtrap+api://T@default': 'https://send.api.mailtrap.io',
    'mailtrap+api://T@bulk.api.mailtrap.io': 'https://bulk.api.mailtrap.io',
    'mailtrap+sandbox://T@default?inboxId=1': 'https://sandbox.api.mailtrap.io',
  },
  incomplete: {
    'mailtrap+api://default': /API token/,
    'mailtrap+sandbox://T@default': /inboxId/,
    'mailtrap+sandbox://T@default?inboxId=1%2F..': /inboxId/,
  },
  checkRequest: jsonRequest('POST /api/send', 'authorization: Bearer T0KEN-1', {
    ...sampleFields,
    attachments: sampleAttachments,
    headers: {
      'List-Unsubscribe': '<https://example.com/u?id=1>',
      'X-Custom': 'kept',
      'Reply-To': 'Support <support@example.com>',
    },
    category: 'welcome',
    custom_variables: { order: '42' },
  }),
  // https://docs.mailtrap.io/developers/email-sending/transactional
  success: json(200, { success: true, message_ids: ['0c7fd939-02cf-11ed-88c2-0a58a9feac02'] }),
  messageId: '0c7fd939-02cf-11ed-88c2-0a58a9feac02',
  refusals: {
    credentials_refused: [refusal(401, 'Unauthorized'), refusal(403, 'Forbidden')],
    sender_refused: [
      refusal(403, 'Sending from domain example.com is not allowed'),
      refusal(400, "'from' address is invalid"),
    ],
    recipient_refused: [refusal(400, "'to' address is invalid")],
    message_refused: [
      refusal(400, "'subject' is required", 'must specify either text or html body'),
    ],
    server_fault: [refusal(500, 'Internal server error')],
  },
  refusal: (text) => refusal(400, text),
})
