/* Search from the file system. A page opened as file:// may not start a worker, so there a hidden frame takes its place: it
   loads the same script, in which `importScripts`, `postMessage` and `onmessage` mean what they mean in a worker. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.title = "search"
      const waiting = []
      this.waiting = waiting
      document.documentElement.appendChild(this.frame)
      const inside = this.frame.contentWindow
      inside.document.open()
      inside.document.write(
        `<html><body><script>
           const said = (data) => dispatchEvent(new CustomEvent("outscore-said", { detail: data }))
           window.postMessage = said
           window.importScripts = (...urls) => Promise.all(urls.map((url) => new Promise((done, failed) => {
             const script = document.createElement("script")
             script.src = url
             script.onload = done
             script.onerror = failed
             document.body.appendChild(script)
           })))
         </script><script src="${new URL(url, document.baseURI)}" onload="window.dispatchEvent(new Event('outscore-ready'))"></script></body></html>`)
      inside.document.close()
      inside.addEventListener("outscore-said", (event) => this.answer(event.detail))
      inside.addEventListener("outscore-ready", () => {
        this.waiting = null
        for (const data of waiting) this.tell(data)
      })
    }

    postMessage(data) {
      if (this.waiting === null) this.tell(data)
      else this.waiting.push(data)
    }

    tell(data) {
      const inside = this.frame.contentWindow
      inside.dispatchEvent(new MessageEvent("message", { data }))
    }

    answer(data) {
      const event = new MessageEvent("message", { data })
      this.onmessage?.(event)
      this.dispatchEvent(event)
    }

    terminate() {
      this.frame.remove()
    }
  }
}
