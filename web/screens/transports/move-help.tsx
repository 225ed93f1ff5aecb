import { HelpLink } from '../../design/feedback.tsx'
import { transportWords } from '../../words/transports.ts'

/** A link to the task of putting another transport in the place of one. */
export function MoveHelp() {
  return (
    <HelpLink page="move-a-brand-to-another-provider">{transportWords.editor.moveTask}</HelpLink>
  )
}
