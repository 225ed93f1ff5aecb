import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { asCommand, type SentRequest, sentRequests } from '../lib/curl.ts'
import { session } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { words } from '../words/common.ts'

/** Offers the last change, and the requests of the screen, as curl commands. */
export function CopyCommand() {
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const requests = sentRequests.value
  const change = requests.find(({ isRead }) => !isRead)
  const reads = requests.filter(({ isRead, screen }) => isRead && isSame(screen, path))
  const shown = change === undefined ? reads : [change, ...reads]
  if (shown.length === 0) return null
  return (
    <>
      <Button kind="plain" onClick={() => setOpen(true)}>
        {words.curl.title}
      </Button>
      {isOpen && (
        <Dialog title={words.curl.title} onClose={() => setOpen(false)}>
          <p class="quiet small">{words.curl.help}</p>
          <ul class="stack">
            {shown.map((request) => (
              <Command key={`${request.method} ${request.url}`} request={request} />
            ))}
          </ul>
          <div class="row">
            <Button onClick={() => setOpen(false)}>{words.close}</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function isSame(screen: string, path: string): boolean {
  return screen === path || screen === `${path}/`
}

function Command({ request }: { request: SentRequest }) {
  const { method, url, isRead } = request
  const copy = async () => {
    const { user } = session.value ?? {}
    await navigator.clipboard.writeText(asCommand(request, user?.email ?? user?.name ?? ''))
    showToast(words.copied)
  }
  const name = `${method} ${url}`
  return (
    <li class="command">
      <div>
        <div class="small quiet">{isRead ? words.curl.read : words.curl.change}</div>
        <code>{name}</code>
      </div>
      <Button onClick={copy} aria-label={words.curl.copy(name)}>
        {words.copy}
      </Button>
    </li>
  )
}
