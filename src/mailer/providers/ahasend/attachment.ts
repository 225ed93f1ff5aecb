import { base64 } from '../../api/json.ts'
import type { Attachment } from '../../message/parsed-message.ts'

/** An attachment as both versions of AhaSend's API take it; one with a `content_id` is inline. */
export function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  return {
    base64: true,
    data: base64(content),
    content_type: contentType,
    file_name: filename,
    content_id: isInline && contentId !== null ? contentId : undefined,
  }
}
