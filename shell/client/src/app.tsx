import { ToastList } from "./overlays/toast-list.tsx";
import { useShell } from "./shell/context.ts";
import { lazy } from "./shell/lazy.tsx";
import { useStore } from "./store.ts";

const LoginView = lazy(async () => (await import("./login/login-view.tsx")).LoginView);
const CallbackView = lazy(async () => (await import("./login/callback-view.tsx")).CallbackView);

/** The whole shell. */
export function App() {
  const { router } = useShell();
  const { pathname } = useStore(router);
  return (
    <>
      {pathname === "/login" ? <LoginView /> : pathname === "/login/callback" ? <CallbackView /> : <main />}
      <ToastList />
    </>
  );
}
