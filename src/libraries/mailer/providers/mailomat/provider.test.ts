import { jsonRequest, testApiProvider } from '../../testing/api-provider.case.test.ts'
import { json } from '../../testing/api-server.case.test.ts'
import {
  documentBase64,
  imageBase64,
  sampleFields,
} from '../../testing/sample-message.case.test.ts'

const violation = (propertyPath: string, message: string) =>
  json(422, { status: 422, violations: [{ propertyPath, message }] })

testApiProvider({
  provider: 'mailomat',
  dsn: 'mailomat+api://K3Y-1@HOST',
  secrets: ['K3Y-1'],
  endpoints: {
    'mailomat+api://K@default': 'https://api.mailomat.swiss',
    'mailomat+api://K@example.com:99': 'https://example.com:99',
  },
  incomplete: { 'mailomat+api://default': /API key/ },
  checkRequest: jsonRequest('POST /message', 'authorization: Bearer K3Y-1', {
    ...sampleFields,
    replyTo: [{ email: 'support@example.com', name: 'Support' }],
    attachments: [
      {
        filename: 'logo.gif',
        contentBase64: imageBase64,
        contentType: 'image/gif',
        ContentID: 'cid:logo',
      },
      { filename: 'report.pdf', contentBase64: documentBase64, contentType: 'application/pdf' },
    ],
  }),
  success: json(202, { messageUuid: '9c1f5e2a-0000-4000-8000-000000000000' }),
  messageId: '9c1f5e2a-0000-4000-8000-000000000000',
  refusals: {
    sender_refused: [violation('from', 'Dieser Wert sollte nicht null sein.')],
    recipient_refused: [violation('to[1].email', 'Dieser Wert sollte nicht leer sein.')],
    message_refused: [violation('', 'You must specify either text or html')],
    credentials_refused: [json(401, { status: 401, detail: 'Unauthorized' })],
  },
  refusal: (text) => violation('', text),
})
