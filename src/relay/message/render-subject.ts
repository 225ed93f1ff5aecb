import { encodeHeaderText } from '../../sending/index.ts'
import type { Edit } from './edit.ts'
import type { FoundSubject } from './find-tokens.ts'
import type { RenderTemplate } from './relayed-message.ts'

/** A Subject's line with its tokens rendered. It stays one line, whatever comes out of a template. */
export async function editSubject(
  { field, segments }: FoundSubject,
  render: RenderTemplate,
): Promise<Edit> {
  let text = ''
  for (const segment of segments)
    text += typeof segment === 'string' ? segment : oneLine(await render(segment.id, 'text'))
  const line = `Subject: ${encodeHeaderText(text)}\r\n`
  return { from: field.start, to: field.end, bytes: Buffer.from(line) }
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ')
}
