"""What has grown while a process was watched."""

import statistics


def grown(samples, allowed):
    """Prints each figure of the samples, and returns what grew more than allowed from the second quarter to the last; the first quarter warms up."""
    quarter, wrong = max(1, len(samples) // 4), []
    for name, most in allowed.items():
        early = statistics.median(s[name] for s in samples[quarter:2 * quarter] or samples[:1])
        late = statistics.median(s[name] for s in samples[-quarter:])
        print(f"  {name}: {early:.4g} in the second quarter, {late:.4g} in the last, {max(s[name] for s in samples):.4g} at most")
        if late > early + most:
            wrong.append(f"{name} grew from {early:.4g} to {late:.4g}, expected at most {most} more")
    return wrong
