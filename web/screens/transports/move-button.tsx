import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { useAddress } from '../../lib/use-address.ts'
import { moveWords as texts } from '../../words/ending-logins.ts'
import { MoveToOAuth, type MoveToOAuthProps } from './move-to-oauth.tsx'

/** Opens the dialog that moves a transport to OAuth; `?move=oauth` opens it with the page. */
export function MoveButton({
  isDisabled,
  ...move
}: Omit<MoveToOAuthProps, 'onClose'> & {
  /** While the form of the page has unsaved changes. */
  isDisabled: boolean
}) {
  const isAsked = useAddress().query['move'] === 'oauth'
  const [isOpen, setOpen] = useState(isAsked)
  return (
    <div class="row">
      <Button disabled={isDisabled} onClick={() => setOpen(true)}>
        {texts.action}
      </Button>
      {isDisabled && <span class="small">{texts.unsaved}</span>}
      {isOpen && <MoveToOAuth {...move} onClose={() => setOpen(false)} />}
    </div>
  )
}
