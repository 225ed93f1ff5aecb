import { composeMessage } from '../message/compose-message.ts'
import type { Message } from '../message/message.ts'
import type { TestOptions } from './test-report.ts'

/** The message of a test. */
export function composeTestMessage(options: TestOptions): Promise<Message> {
  const { from, to, subject = 'Test message', text } = options
  return composeMessage({
    from: { name: '', address: from },
    to: [{ name: '', address: to }],
    subject,
    text: text ?? 'This is a test message. That it arrived shows that its mail transport works.\n',
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
