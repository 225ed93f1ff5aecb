import { Badge } from '../design/feedback.tsx'
import { words } from '../words/common.ts'

/** Whether a record is published. */
export function PublishedBadge({ isPublished }: { isPublished: boolean }) {
  return (
    <Badge tone={isPublished ? 'good' : 'neutral'}>
      {isPublished ? words.published : words.unpublished}
    </Badge>
  )
}
