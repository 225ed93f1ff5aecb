import type { Body } from '../lib/api.ts'

type TestResult = Pick<Body<'POST', '/api/multipleTransports/send/test'>, 'message' | 'alignment'>

/** The message of a test without the sentence about its sender, which a screen shows apart. */
export function testMessageOf({ message, alignment }: TestResult): string {
  const sentence = alignment?.sentence ?? ''
  return message.endsWith(sentence)
    ? message.slice(0, message.length - sentence.length).trimEnd()
    : message
}
