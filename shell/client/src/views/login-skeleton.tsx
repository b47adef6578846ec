import { Skeleton } from "../ui/surfaces.tsx";
import "./views.css";

/** The room of the sign-in, until it is there. */
export function LoginSkeleton() {
  return (
    <main class="login-wait" aria-busy="true">
      <div aria-hidden="true">
        <Skeleton width={40} height={40} />
        <Skeleton width="60%" height={24} />
        <Skeleton height={40} />
        <Skeleton height={40} />
      </div>
    </main>
  );
}
