import { useEffect, useRef, useState } from 'preact/hooks'
import { Notice, Skeleton } from '../../design/feedback.tsx'
import { words } from '../../words/common.ts'
import type { Knowledge } from './completion.ts'
import type { CodeHandle, PlacedRemark } from './open-editor.ts'

interface CodeEditorProps {
  label: string
  text: string
  onText?: (text: string) => void
  language?: 'twig' | 'email' | 'json'
  isReadOnly?: boolean
  remarks?: readonly PlacedRemark[]
  knowledge?: Knowledge
  /** Gets the editor when it is open. */
  onOpen?: (handle: CodeHandle) => void
  size?: 'tall' | 'medium' | 'short'
}

/** A CodeMirror editor. Its code is loaded when one is first shown. */
export function CodeEditor(props: CodeEditorProps) {
  const { text, label, language = 'twig', isReadOnly = false, remarks, size = 'tall' } = props
  const parent = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  // What the editor has reported and not yet got back as `text`, while people type faster than the page is drawn.
  const reported = useRef<string[]>([])
  const [handle, setHandle] = useState<CodeHandle>()
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let opened: CodeHandle | undefined
    let isGone = false
    const open = async () => {
      const { openEditor } = await import('./open-editor.ts')
      if (isGone || parent.current === null) return
      opened = openEditor({
        parent: parent.current,
        text: latest.current.text,
        label,
        language,
        isReadOnly,
        knowledge: latest.current.knowledge,
        onText(next) {
          reported.current.push(next)
          latest.current.onText?.(next)
        },
      })
      setHandle(opened)
      latest.current.onOpen?.(opened)
    }
    open().catch(() => setFailed(true))
    return () => {
      isGone = true
      opened?.close()
    }
  }, [label, language, isReadOnly])
  useEffect(() => {
    const place = reported.current.indexOf(text)
    reported.current.splice(0, place === -1 ? reported.current.length : place)
    if (place === -1) handle?.write(text)
  }, [handle, text])
  useEffect(() => handle?.mark(remarks ?? []), [handle, remarks])
  return (
    <div class="code" data-size={size} ref={parent}>
      {hasFailed && <Notice tone="bad">{words.noAnswer}</Notice>}
      {handle === undefined && !hasFailed && <Skeleton />}
    </div>
  )
}
